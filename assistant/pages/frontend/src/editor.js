// A SPARQL editor: CodeMirror with completion from the graph and marks where a query is at fault.
import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, startCompletion } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting, syntaxTree } from "@codemirror/language";
import { sparql } from "@codemirror/legacy-modes/mode/sparql";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers, placeholder } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const PAUSE = 700; // milliseconds without typing after which the text is sent
const MOST = 60; // completions shown at once
const WORD = /[\p{L}\p{N}_:.-]+$/u;
const KEYWORDS = (
  "SELECT DISTINCT REDUCED ASK CONSTRUCT DESCRIBE WHERE FILTER OPTIONAL UNION MINUS GRAPH BIND AS VALUES " +
  "UNDEF ORDER BY ASC DESC LIMIT OFFSET GROUP HAVING PREFIX BASE IN NOT EXISTS COUNT SUM MIN MAX AVG SAMPLE " +
  "GROUP_CONCAT STR LANG LANGMATCHES DATATYPE BOUND IRI ABS CEIL FLOOR ROUND CONCAT STRLEN UCASE LCASE " +
  "CONTAINS STRSTARTS STRENDS STRBEFORE STRAFTER REPLACE REGEX SUBSTR COALESCE IF ISIRI ISBLANK ISLITERAL " +
  "ISNUMERIC YEAR MONTH DAY NOW"
).split(" ");

const outside = Annotation.define(); // a change that the page made, not the reader

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--tw-keyword)", fontWeight: "600" },
  { tag: [tags.variableName, tags.local(tags.variableName)], color: "var(--tw-variable)" },
  { tag: [tags.atom, tags.link], color: "var(--tw-name)" },
  { tag: tags.string, color: "var(--tw-string)" },
  { tag: [tags.number, tags.meta], color: "var(--tw-number)" },
  { tag: tags.comment, color: "var(--tw-comment)", fontStyle: "italic" },
  { tag: tags.standard(tags.name), color: "var(--tw-keyword)" },
]);

const editors = new WeakMap();

export function showEditor(component) {
  const { parentElement: root } = component;
  let editor = editors.get(root);
  if (!editor || !editor.view.dom.isConnected) {
    editor = open(component);
    editors.set(root, editor);
  }
  editor.update(component);
  return () =>
    setTimeout(() => {
      if (!root.isConnected && !root.host?.isConnected) editor.view.destroy();
    });
}

function open(component) {
  const { parentElement: root, data } = component;
  const host = root.querySelector(".editor");
  host.replaceChildren();
  const editor = { revision: data.revision, sent: data.text, waiting: null, component };
  const send = () => {
    clearTimeout(editor.waiting);
    const text = editor.view.state.doc.toString();
    if (text === editor.sent) return;
    editor.sent = text;
    editor.component.setStateValue("text", { text, revision: editor.revision });
  };
  const run = () => {
    clearTimeout(editor.waiting);
    const text = (editor.sent = editor.view.state.doc.toString());
    editor.component.setTriggerValue("run", { text, revision: editor.revision });
    return true;
  };
  editor.view = new EditorView({
    parent: host,
    root: root.host ? root : document,
    state: EditorState.create({
      doc: data.text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        indentOnInput(),
        indentUnit.of("  "),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ override: [complete], maxRenderedOptions: MOST, icons: false }),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSelectionMatches(),
        search({ top: true }),
        StreamLanguage.define(sparql),
        syntaxHighlighting(colours),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": data.label, "data-testid": "sparql-text" }),
        placeholder(data.placeholder),
        keymap.of([
          { key: "Mod-Enter", run },
          { key: "Ctrl-Space", run: startCompletion },
          { key: "Tab", run: acceptCompletion },
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...completionKeymap,
        ]),
        EditorView.domEventHandlers({ blur: send }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged || update.transactions.some((t) => t.annotation(outside))) return;
          clearTimeout(editor.waiting);
          editor.waiting = setTimeout(send, PAUSE);
          if (update.transactions.some((t) => t.isUserEvent("input"))) declare(update.view);
        }),
      ],
    }),
  });
  editor.update = (next) => {
    const { view } = editor;
    editor.component = next;
    if (next.data.revision !== editor.revision) {
      editor.revision = next.data.revision;
      editor.sent = next.data.text;
      clearTimeout(editor.waiting);
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: next.data.text },
        annotations: outside.of(true),
      });
    }
    mark(view, next.data.marks);
  };
  return editor;
}

// Marks stay where they are while the text changes; new ones come with the next result.
function mark(view, marks) {
  const key = JSON.stringify(marks);
  if (view.marked === key) return;
  view.marked = key;
  const { doc } = view.state;
  const diagnostics = marks.map(({ line, column, message }) => {
    const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
    let from = Math.min(at.from + offset(at.text, column - 1), at.to);
    const word = /^[\p{L}\p{N}_:?$-]+|^\S/u.exec(doc.sliceString(from, at.to));
    let to = from + (word ? word[0].length : 0);
    if (from === to && from > at.from) from -= 1; // at the end of a line: its last character
    return { from, to, severity: "error", message };
  });
  view.dispatch(setDiagnostics(view.state, diagnostics));
  if (diagnostics.length)
    view.dispatch({ effects: EditorView.scrollIntoView(diagnostics[0].from, { y: "nearest" }) });
}

// The page counts characters, the editor UTF-16 units.
function offset(text, characters) {
  return Array.from(text).slice(0, characters).join("").length;
}

// A usual prefix that is used and not declared gets its declaration.
function declare(view) {
  const { state } = view;
  const at = state.selection.main.head;
  const typed = /(?:^|[\s({^/|!,;.])([A-Za-z][\w-]*):$/.exec(state.sliceDoc(Math.max(0, at - 60), at));
  const iri = typed && globalThis.trainwrightPages.prefixes[typed[1]];
  if (!iri || plain(state, at)) return;
  addPrefix(view, typed[1], iri);
}

function addPrefix(view, prefix, iri) {
  const text = view.state.doc.toString();
  if (new RegExp(`\\bprefix\\s+${prefix}:`, "i").test(text)) return;
  setTimeout(() =>
    view.dispatch({ changes: { from: 0, insert: `PREFIX ${prefix}: <${iri}>\n` }, userEvent: "declare" }),
  );
}

function plain(state, at) {
  return /comment|string/.test(syntaxTree(state).resolveInner(at, -1).name);
}

function complete(context) {
  const { state, pos } = context;
  if (plain(state, pos)) return null;
  const before = state.doc.lineAt(pos).text.slice(0, pos - state.doc.lineAt(pos).from);
  const variable = /[?$](\w*)$/.exec(before);
  if (variable) return variables(state, pos, variable);
  const word = WORD.exec(before)?.[0] ?? "";
  if (!word && !context.explicit) return null;
  if (/prefix\s+[\w-]*:?$/i.test(before)) return prefixes(pos, word);
  const options = word.includes(":") ? names(word) : [...keywords(word), ...prefixOptions(word), ...names(word)];
  return options.length ? { from: pos - word.length, options: options.slice(0, MOST), filter: false } : null;
}

function variables(state, pos, typed) {
  const found = new Set();
  for (const [, name] of state.doc.toString().matchAll(/[?$]([\p{L}\p{N}_]+)/gu)) found.add(name);
  found.delete(typed[1]);
  const options = [...found].filter((n) => n.startsWith(typed[1])).sort();
  const list = options.map((n) => ({ label: `?${n}`, type: "variable" }));
  return { from: pos - typed[0].length, options: list, filter: false };
}

function prefixes(pos, word) {
  const options = Object.entries(globalThis.trainwrightPages.prefixes)
    .filter(([prefix]) => prefix.startsWith(word.replace(/:$/, "")))
    .map(([prefix, iri]) => ({ label: `${prefix}: <${iri}>`, type: "namespace" }));
  return { from: pos - word.length, options, filter: false };
}

function keywords(word) {
  const upper = word.toUpperCase();
  return word ? KEYWORDS.filter((k) => k.startsWith(upper)).map((k) => ({ label: k, type: "keyword" })) : [];
}

function prefixOptions(word) {
  return Object.keys(globalThis.trainwrightPages.prefixes)
    .filter((prefix) => prefix.startsWith(word))
    .map((prefix) => ({
      label: `${prefix}:`,
      type: "namespace",
      apply: (view, _, from, to) => {
        view.dispatch({ changes: { from, to, insert: `${prefix}:` }, selection: { anchor: from + prefix.length + 1 }, userEvent: "input.complete" });
        startCompletion(view);
      },
    }));
}

// Names are found by their short form and by their labels in both languages.
function names(word) {
  const sought = word.toLowerCase();
  const colon = sought.indexOf(":");
  const prefix = colon < 0 ? "" : sought.slice(0, colon + 1);
  const local = sought.slice(colon + 1);
  if (!prefix && sought.length < (/^[\x00-\x7f]*$/.test(sought) ? 2 : 1)) return [];
  const found = [];
  for (const [name, label, kind, also] of globalThis.trainwrightPages.names) {
    const lower = name.toLowerCase();
    if (prefix && !lower.startsWith(prefix)) continue;
    const own = lower.slice(lower.indexOf(":") + 1);
    const labels = `${label}\n${also}`.toLowerCase();
    const exact = name.slice(name.indexOf(":") + 1).startsWith(word.slice(colon + 1));
    const score = exact ? 0 : own.startsWith(local) ? 0.5 : labels.startsWith(local) || labels.includes(`\n${local}`) ? 1
      : own.includes(local) ? 2 : labels.includes(local) ? 3 : 9;
    if (score < 9) found.push([score, name, label, kind]);
  }
  found.sort((a, b) => a[0] - b[0] || a[1].length - b[1].length || (a[1] < b[1] ? -1 : 1));
  return found.slice(0, MOST).map(([, name, label, kind]) => ({
    label: name,
    detail: label,
    type: kind,
    apply: (view, _, from, to) => {
      view.dispatch({ changes: { from, to, insert: name }, selection: { anchor: from + name.length }, userEvent: "input.complete" });
      const usual = name.slice(0, name.indexOf(":"));
      const iri = globalThis.trainwrightPages.prefixes[usual];
      if (iri) addPrefix(view, usual, iri);
    },
  }));
}
