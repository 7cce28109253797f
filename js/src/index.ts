import "./styles.css";
import { hidePicture } from "./picture.ts";
import { Session } from "./session.ts";
import { explorer } from "./views/explorer.ts";
import { widget } from "./widget.ts";
import "./styles/hosts.css";

export default widget(
  ({ model, signal }) => new Session(model, signal),
  (session, { model, el, signal }) => {
    explorer(session, el, signal);
    if (session.about) hidePicture(model, signal);
  },
);
