// Syntax highlighting for Python, in the editor and in read-only listings.

import { pythonLanguage } from "@codemirror/lang-python";
import { classHighlighter, highlightCode } from "@lezer/highlight";
import { css, html } from "lit";

/** Return the lines of a program as highlighted templates. */
export function coloured(lines) {
  const source = lines.join("\n");
  const found = [[]];
  highlightCode(
    source,
    pythonLanguage.parser.parse(source),
    classHighlighter,
    (text, classes) => found.at(-1).push(classes ? html`<span class=${classes}>${text}</span>` : text),
    () => found.push([]),
  );
  return found;
}

/** Jupyter's colours, mixed with the text colour: on a selected line they would be too pale. */
export const pythonStyle = css`
  .tok-keyword { color: color-mix(in srgb, var(--jp-mirror-editor-keyword-color, light-dark(#00700a, #6cc56f)) 70%, var(--text)); font-weight: 600; }
  .tok-number, .tok-bool { color: color-mix(in srgb, var(--jp-mirror-editor-number-color, light-dark(#00700a, #7fcf86)) 70%, var(--text)); }
  .tok-string { color: color-mix(in srgb, var(--jp-mirror-editor-string-color, light-dark(#b0181d, #ff9a90)) 70%, var(--text)); }
  .tok-operator { color: color-mix(in srgb, var(--jp-mirror-editor-operator-color, light-dark(#8a1fd0, #d79bff)) 70%, var(--text)); }
  .tok-comment { color: var(--quiet); font-style: italic; }
  .tok-definition { color: color-mix(in srgb, var(--jp-mirror-editor-def-color, light-dark(#0b5cad, #79b8ff)) 70%, var(--text)); }
`;
