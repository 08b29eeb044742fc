// The backend of `shardwise start`: Python on this computer, which keeps everything in the student's progress file.

const gone = (command) =>
  `shardwise has stopped, or this page belongs to an earlier start. Run <code>${command}</code>, and open the address that it prints.`;
const TOKEN = "shardwise token"; // in the storage of this origin, which other ports of this computer cannot read
const SETTLED_MS = 300; // from the last key press until drafts are sent

const post = (request, more) =>
  fetch("ask", {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${localStorage.getItem(TOKEN)}` },
    body: JSON.stringify(request),
    ...more,
  }).catch(() => null);

/** The backend of a page that this command serves. */
export function server(command = "shardwise start") {
  const [, given] = location.hash.match(/^#token=(.+)$/) ?? [];
  if (given) {
    localStorage.setItem(TOKEN, given);
    history.replaceState(null, "", "#/");
  }
  const kept = new Map(); // drafts by problem, as Python sent them with the question, and as typed since
  const changed = new Map(); // those that Python does not have yet
  let timer;

  const ask = async (request) => {
    const response = await post(request);
    if (!response?.ok) return { error: `<p>${gone(command)}</p>` };
    const reply = await response.json();
    if (request.do === "open" && reply.drafts)
      kept.set(request.problem, { ...reply.drafts, ...kept.get(request.problem) });
    return reply;
  };

  const send = (more) => {
    clearTimeout(timer);
    for (const [problem, drafts] of changed) post({ do: "typed", problem, drafts }, more);
    changed.clear();
  };
  addEventListener("pagehide", () => send({ keepalive: true })); // which may hold 64 kB at most

  const drafts = async (problem) => ({
    get: (key) => kept.get(problem)?.[key],
    set(key, value) {
      kept.set(problem, { ...kept.get(problem), [key]: value });
      changed.set(problem, { ...changed.get(problem), [key]: value });
      clearTimeout(timer);
      timer = setTimeout(send, SETTLED_MS);
    },
  });

  const waits = "Still waiting for shardwise. If you stopped it, start it again and reload this page.";
  return { ask, drafts, waits, where: "on this computer. Notebooks and the terminal use the same file" };
}
