// Settings: the goal of a day, and where progress is kept.

import { html, nothing } from "lit";
import { unsafeHTML } from "lit/directives/unsafe-html.js";

export function settings(shell) {
  let said = "";
  const say = (words) => {
    said = words;
    shell.paint();
  };
  const choose = async (event) => {
    const { record } = await shell.backend.ask({ do: "set", settings: { goal: event.target.checked } });
    if (record) shell.take(record);
    else {
      event.target.checked = !event.target.checked;
      say("This was not saved. Reload the page to see why.");
    }
  };
  const { transfer, where } = shell.backend;
  const view = () => html`
    <h1 tabindex="-1">Settings</h1>
    <p><label class="choice"><input type="checkbox" .checked=${shell.record.settings.goal !== false} @change=${choose} />
      Show Today's five and your streak</label></p>
    <h2>Your progress</h2>
    <p>It stays ${where}.</p>
    ${transfer ? buttons(shell, transfer, say) : commands()}
    <div role="status">${said}</div>
    ${shell.backend.about ? html`<p class="quiet">${shell.backend.about}</p>` : nothing}
  `;
  return { title: "Settings", view };
}

const commands = () => html`
  <p>To move it to another computer or to a practice site, or to delete it:</p>
  <div class="prose"><pre><code>shardwise progress --export progress.json
shardwise progress --import progress.json
shardwise progress --forget --all</code></pre></div>
`;

function buttons(shell, transfer, say) {
  const download = async () => {
    const url = URL.createObjectURL(new Blob([await transfer.exported()], { type: "application/json" }));
    Object.assign(document.createElement("a"), { href: url, download: "shardwise-progress.json" }).click();
    URL.revokeObjectURL(url);
  };
  const upload = async (event) => {
    const [file] = event.target.files;
    if (!file) return;
    const { added, error } = await transfer.imported(await file.text());
    event.target.value = "";
    say(error ? html`${unsafeHTML(error)}` : `Added ${added} event${added === 1 ? "" : "s"}.`);
    await shell.refresh();
  };
  const erase = async () => {
    if (!confirm("Delete your progress in this browser? You cannot undo this.")) return;
    await transfer.erase();
    say("Deleted.");
    await shell.refresh();
  };
  return html`
    <p class="buttons">
      <button type="button" class="button" @click=${download}>Export</button>
      <label class="button">Import <input class="unseen" type="file" accept="application/json,.json" @change=${upload} /></label>
      <button type="button" class="button" @click=${erase}>Delete</button>
    </p>
    <p class="quiet">An exported file can be imported in another browser, and on a computer with <code>shardwise progress --import FILE</code>.</p>
  `;
}
