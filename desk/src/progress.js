// A progress card: figures for each chapter, a chapter's problems, and buttons that open a question on the page or below.

import { css, html, LitElement, nothing } from "lit";
import { unsafeHTML } from "lit/directives/unsafe-html.js";
import { create } from "./elements.js";
import { styles } from "./styles.js";
import { formOf, goTo } from "./way.js";

export class Progress extends LitElement {
  static styles = [
    styles,
    css`
      table { width: 100%; }
      th, td { padding: 0.25em 0.6em 0.25em 0; border: 0; }
      th[scope="row"] { font-weight: normal; }
      .figure { text-align: right; white-space: nowrap; }
      .bar { display: block; height: 0.3em; border-radius: 0.2em; background: var(--edge); }
      .bar > span { display: block; height: 100%; border-radius: 0.2em; background: var(--correct); }
      .problems {
        columns: 14rem;
        column-gap: 1.2rem;
        margin: 0.3rem 0 0;
        padding: 0;
        list-style: none;
      }
      .problems li { display: flex; align-items: baseline; gap: 0.2rem; break-inside: avoid; }
      .mark { flex: 0 0 1.1em; color: var(--correct); font-weight: 600; }
      button.opens { min-height: 1.75rem; padding: 0.1rem 0.3rem; text-align: left; line-height: 1.35; }
      .due { margin: 0; padding: 0; list-style: none; }
      .next { margin: 0.8rem 0; }
      .next p { display: inline; }
      details { margin: 0.6rem 0; }
    `,
  ];

  static properties = {
    host: { attribute: false },
    given: { attribute: false },
    opened: { state: true }, // the form below the card
    trouble: { state: true },
  };

  /** Show newer progress. */
  renew(given) {
    this.given = given;
  }

  /** Open a question: in its form on this page, or else below the card. */
  async #open({ id, seed }) {
    const form = formOf(id);
    if (form) {
      goTo(form);
      return;
    }
    const reply = await this.host
      .ask({ do: "question", problem: id, seed })
      .catch((error) => ({ error: error.message }));
    this.trouble = reply.error ?? "";
    if (!reply.question) return;
    this.opened = Object.assign(create("problem"), { host: this.host, given: reply });
    await this.updateComplete;
    await this.opened.updateComplete;
    goTo(this.opened);
  }

  #button = (row) =>
    html`<button type="button" class="plain opens" @click=${() => this.#open(row)}>${row.label} ${row.title}</button>`;

  #problem = (row) => {
    const state = row.mastered ? "mastered" : row.solved ? "solved" : "";
    return html`<li>
      <span class="mark">${state ? html`<span role="img" aria-label=${state} title=${state}>${row.mastered ? "★" : "✓"}</span>` : nothing}</span>
      ${this.#button(row)}
    </li>`;
  };

  render() {
    const { columns, chapters, rows, next, rest } = this.given;
    const [first, ...others] = columns;
    return html`
      <section aria-label="Progress">
        <div class="prose">
          <table>
            <thead>
              <tr><th scope="col">${first}</th>${others.map((name) => html`<th scope="col" class="figure">${name}</th>`)}</tr>
            </thead>
            <tbody>
              ${chapters.map(
                ({ title, figures: [solved, ...figures], share }) => html`<tr>
                  <th scope="row">${title}</th>
                  <td class="figure">
                    ${solved}<span class="bar" aria-hidden="true"><span style="width: ${share * 100}%"></span></span>
                  </td>
                  ${figures.map((figure) => html`<td class="figure">${figure}</td>`)}
                </tr>`,
              )}
            </tbody>
          </table>
        </div>
        <div class="next">
          ${unsafeHTML(next.head)}
          ${next.rows.length > 1 ? html`<ul class="due">${next.rows.map((row) => html`<li>${this.#button(row)}</li>`)}</ul>` : next.rows.map(this.#button)}
          <span class="quiet">${unsafeHTML(next.why)}</span>
        </div>
        ${
          rows.length
            ? html`<details open>
              <summary>Problems</summary>
              <ol class="problems">${rows.map(this.#problem)}</ol>
            </details>`
            : nothing
        }
        <div class="prose">${unsafeHTML(rest)}</div>
        <div role="alert">${unsafeHTML(this.trouble)}</div>
        ${this.opened ?? nothing}
      </section>
    `;
  }
}
