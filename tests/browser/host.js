// The smallest host of an anywidget front end. The messages of the Python widget's comm pass through
// two functions that the bridge exposes to the page.
// Hosts differ in the form of binary values, and in what they call and pass.
async ({ id, esm, css, state, paths, buffers, form, initializes, hasSignal }) => {
  const bytes = (text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const decode = {
    base64: (text) => text,
    Uint8Array: bytes,
    ArrayBuffer: (text) => bytes(text).buffer,
    DataView: (text) => new DataView(bytes(text).buffer),
  }[form];
  const putBuffers = (target, at, encoded) => {
    at.forEach((path, i) => {
      const parent = path.slice(0, -1).reduce((node, key) => node[key], target);
      parent[path[path.length - 1]] = decode(encoded[i]);
    });
    return target;
  };

  const listeners = {};
  const unsaved = {};
  const emit = (name, ...rest) => {
    for (const listener of [...(listeners[name] ?? [])]) listener(...rest);
  };
  const change = (changes) => {
    Object.assign(state, changes);
    for (const key of Object.keys(changes)) emit(`change:${key}`, model, changes[key]);
    emit("change", model);
  };
  const model = {
    get: (key) => state[key],
    set: (key, value) => {
      const changes = typeof key === "string" ? { [key]: value } : key;
      Object.assign(unsaved, changes);
      change(changes);
    },
    save_changes: () => {
      const sent = { ...unsaved };
      for (const key of Object.keys(sent)) delete unsaved[key];
      window.toPython(id, JSON.stringify({ method: "update", state: sent, buffer_paths: [] }));
    },
    send: (content) => {
      window.toPython(id, JSON.stringify({ method: "custom", content }));
    },
    on: (names, listener) => {
      for (const name of names.split(" ")) (listeners[name] ??= []).push(listener);
    },
    off: (name, listener) => {
      listeners[name] = (listeners[name] ?? []).filter((other) => other !== listener);
    },
  };

  const poll = async () => {
    for (const message of await window.fromPython(id)) {
      if (message.method === "update") {
        change(putBuffers(message.state, message.buffer_paths, message.buffers));
      } else if (message.method === "custom") {
        emit("msg:custom", message.content, []);
      }
    }
    poll();
  };

  putBuffers(state, paths, buffers);
  const style = document.head.appendChild(document.createElement("style"));
  style.textContent = css;
  const place = document.querySelector("[data-place]") ?? document.body;
  const el = place.appendChild(document.createElement("div"));
  const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
  const module = await import(url);
  const widget = typeof module.default === "function" ? await module.default() : module.default;
  const passed = hasSignal ? { model, signal: new AbortController().signal } : { model };
  if (initializes) await widget.initialize?.(passed);
  await widget.render({ ...passed, el });
  window.model = model;
  poll();
}
