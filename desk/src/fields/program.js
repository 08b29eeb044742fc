// A program to write in an editor. Its function can be run before it is checked.

import { history, historyKeymap, indentWithTab, standardKeymap } from "@codemirror/commands";
import { pythonLanguage } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { Prec } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { css, html } from "lit";
import { AsyncDirective, directive } from "lit/async-directive.js";
import { unsafeHTML } from "lit/directives/unsafe-html.js";
import { withState } from "../local.js";

class Editor extends AsyncDirective {
  #view;
  #element;
  #options;

  render() {}

  update({ element }, [options]) {
    this.#options = options;
    if (!this.#element) {
      this.#element = element;
      queueMicrotask(() => this.#open()); // by then it is in the page, and the editor needs its shadow root
    } else if (this.#view && this.#view.state.doc.toString() !== options.text) {
      this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: options.text } });
    }
  }

  #open() {
    if (!this.isConnected || this.#view) return;
    const run = () => {
      this.#options.run();
      return true;
    };
    const typed = (update) => {
      if (update.docChanged) this.#options.typed(update.state.doc.toString());
    };
    this.#view = new EditorView({
      parent: this.#element,
      doc: this.#options.text,
      extensions: [
        lineNumbers(),
        history(),
        bracketMatching(),
        indentOnInput(),
        indentUnit.of("    "),
        pythonLanguage,
        syntaxHighlighting(classHighlighter),
        Prec.high(keymap.of([{ key: "Mod-Enter", run }])),
        keymap.of([...standardKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of(this.#options.attributes),
        EditorView.updateListener.of(typed),
      ],
    });
  }

  disconnected() {
    this.#view?.destroy();
    this.#view = undefined;
  }

  reconnected() {
    queueMicrotask(() => this.#open());
  }
}

const editor = directive(Editor);

export const program = {
  template({ field, id, draft, set, ask }) {
    const text = typeof draft === "string" ? draft : field.source;
    return withState(({ call = "", ran = "" }, change) => {
      const run = async () => {
        change({ ran: "<p>Running …</p>" });
        const request = { do: "run", answer: program.answer(field, text), arguments: call };
        const { run, error } = await ask(request, (words) => change({ ran: words }));
        change({ ran: run?.html ?? error, call: call || (run?.arguments ?? "") });
      };
      const entered = (event) => {
        if (event.key !== "Enter" || event.isComposing) return;
        event.stopPropagation(); // elsewhere in a form, Enter checks the answer
        event.preventDefault();
        run();
      };
      return html`<div class="field wide">
        <div id="${id}-label" class="label">${field.label}</div>
        <div
          class="editor"
          ${editor({
            text,
            typed: set,
            run,
            attributes: { "aria-labelledby": `${id}-label`, "aria-describedby": `${id}-keys` },
          })}></div>
        <p id="${id}-keys" class="quiet">Tab indents. To leave the editor, press Esc, then Tab. Ctrl+Enter runs the function.</p>
        <div class="call">
          <label for="${id}-call"><code>${field.function}(</code></label>
          <input
            type="text" class="code" id="${id}-call" autocomplete="off" autocapitalize="off" spellcheck="false"
            aria-label="Arguments of ${field.function} (sample if empty)" placeholder="sample"
            .value=${call} @input=${(event) => change({ call: event.target.value })} @keydown=${entered} />
          <code aria-hidden="true">)</code>
          <button type="button" @click=${run}>Run</button>
        </div>
        <div aria-live="polite" class="ran prose">${unsafeHTML(ran)}</div>
      </div>`;
    });
  },
  answer: (field, draft) => (draft === field.source ? null : draft),
};

program.style = css`
  .editor .cm-editor {
    border: 1px solid var(--field-edge);
    border-radius: 5px;
    background: var(--jp-cell-editor-background, var(--field-back));
    font-size: 13px;
  }
  .editor .cm-editor.cm-focused { outline: 2px solid var(--accent); outline-offset: 2px; }
  .editor .cm-scroller { min-height: 9rem; font-family: var(--mono); line-height: 1.6; }
  .editor .cm-gutters { border: 0; background: var(--jp-cell-editor-background, var(--field-back)); color: var(--quiet); }
  .editor .cm-content { caret-color: var(--text); }
  .editor .cm-cursor { border-left-color: var(--text); }
  .editor .cm-matchingBracket { outline: 1px solid var(--field-edge); background: transparent; }
  .call { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem; margin-top: 0.6rem; }
  .call input[type="text"] { flex: 1 1 12rem; width: auto; min-width: 0; }
  .ran { margin-top: 0.5rem; }
`;
