// What the small components of the page share. It is sent once with the names that can be
// completed; the editor and the graph view, which change often, wait for it.
import { showEditor } from "./editor.js";
import { showGraph } from "./graph.js";

export default function ({ data }) {
  const library = (globalThis.trainwrightPages ??= {});
  library.names = data.names;
  library.prefixes = data.prefixes;
  library.showEditor = showEditor;
  library.showGraph = showGraph;
  document.dispatchEvent(new Event("trainwright-pages"));
}
