// The backend of `shardwise start`: Python on this computer, which keeps everything in the student's progress file.

const GONE =
  "shardwise no longer runs, or this page belongs to an earlier start. Start it again with <code>shardwise start</code>, and open the address that it prints.";
const SETTLED_MS = 300; // from the last key press until a draft is sent

const TOKEN = "shardwise token"; // in the storage of this origin, which other ports of this computer cannot read

export function server() {
  const [, given] = location.hash.match(/^#token=(.+)$/) ?? [];
  if (given) {
    localStorage.setItem(TOKEN, given);
    history.replaceState(null, "", "#/");
  }
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${localStorage.getItem(TOKEN)}` };
  const kept = new Map(); // drafts by problem, as Python sent them with the question
  const ask = async (request) => {
    const response = await fetch("ask", {
      method: "POST",
      headers,
      body: JSON.stringify(request),
    }).catch(() => null);
    if (!response?.ok) return { error: `<p>${GONE}</p>` };
    const reply = await response.json();
    if (request.do === "open" && reply.drafts)
      kept.set(request.problem, { ...reply.drafts, ...kept.get(request.problem) });
    return reply;
  };
  const drafts = async (problem) => {
    const known = kept.get(problem) ?? {};
    kept.set(problem, known);
    let changed = {};
    let timer;
    const flush = (more = {}) => {
      clearTimeout(timer);
      const body = JSON.stringify({ do: "typed", problem, drafts: changed });
      changed = {};
      fetch("ask", { method: "POST", headers, body, ...more }).catch(() => {});
    };
    addEventListener("pagehide", () => Object.keys(changed).length && flush({ keepalive: true }));
    return {
      get: (key) => known[key],
      set(key, value) {
        known[key] = value;
        changed[key] = value;
        clearTimeout(timer);
        timer = setTimeout(flush, SETTLED_MS);
      },
    };
  };
  return { ask, drafts, where: "on this computer, in the file that notebooks and the terminal use too" };
}
