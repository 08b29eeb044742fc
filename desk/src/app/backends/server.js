// The backend of `shardwise start`: Python on this computer, which keeps everything in the student's progress file.

const GONE =
  "shardwise no longer runs. Start it again with <code>shardwise start</code>, and open the address that it prints.";
const SETTLED_MS = 300; // from the last key press until drafts are sent

const post = (request, more) =>
  fetch("ask", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
    ...more,
  }).catch(() => null);

export function server() {
  const kept = new Map(); // drafts by problem, as Python sent them with the question, and as typed since
  const changed = new Map(); // those that Python does not have yet
  let timer;

  const ask = async (request) => {
    const response = await post(request);
    if (!response?.ok) return { error: `<p>${GONE}</p>` };
    const reply = await response.json();
    if (request.do === "open" && reply.drafts)
      kept.set(request.problem, { ...reply.drafts, ...kept.get(request.problem) });
    return reply;
  };

  const send = () => {
    clearTimeout(timer);
    for (const [problem, drafts] of changed) post({ do: "typed", problem, drafts }, { keepalive: true });
    changed.clear();
  };
  addEventListener("pagehide", send);

  const drafts = async (problem) => ({
    get: (key) => kept.get(problem)?.[key],
    set(key, value) {
      kept.set(problem, { ...kept.get(problem), [key]: value });
      changed.set(problem, { ...changed.get(problem), [key]: value });
      clearTimeout(timer);
      timer = setTimeout(send, SETTLED_MS);
    },
  });

  return { ask, drafts, where: "on this computer, in the file that notebooks and the terminal use too" };
}
