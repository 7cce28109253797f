import "./styles.css";
import { hidePicture } from "./picture.ts";
import { type HostModel, Session } from "./session.ts";
import { explorer } from "./views/explorer.ts";
import "./styles/hosts.css";

interface Initialize {
  model: HostModel;
  signal: AbortSignal;
}

interface Render extends Initialize {
  el: HTMLElement;
}

/** The factory is called once per model; the views of a model share its session, which ends with the model. */
export default () => {
  let session: Session | null = null;
  return {
    initialize({ model, signal }: Initialize): void {
      session = new Session(model, signal);
    },
    render({ model, el, signal }: Render): void {
      session ??= new Session(model, signal);
      explorer(session, el, signal);
      if (session.about) hidePicture(model, signal);
    },
  };
};
