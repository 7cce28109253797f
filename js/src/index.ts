import "./styles/index.css";
import { Session } from "./session/session.ts";
import { explorer } from "./views/explorer.ts";
import { viewsNamed } from "./views/index.ts";
import { widget } from "./widget/factory.ts";
import { hidePicture } from "./widget/picture.ts";
import "./styles/hosts.css";

export default widget(
  ({ model, signal }) => new Session(model, viewsNamed, signal),
  (session, { model, el, signal }) => {
    explorer(session, el, signal);
    if (session.about) hidePicture(model, signal);
  },
);
