// Loads the desk's code from the widget that holds it, once per page, and lets it render the form.

const desks = (globalThis.shardwiseDesks ??= new Map());

async function imported(code) {
  const unpacked = new Blob([code]).stream().pipeThrough(new DecompressionStream("gzip"));
  const source = new Blob([await new Response(unpacked).text()], { type: "text/javascript" });
  const url = URL.createObjectURL(source);
  return import(url).finally(() => URL.revokeObjectURL(url));
}

export default {
  async render({ model, el }) {
    const library = await model.widget_manager.get_model(model.get("library").replace("IPY_MODEL_", ""));
    const digest = library.get("digest");
    if (!desks.has(digest)) desks.set(digest, imported(library.get("code")));
    const desk = await desks.get(digest);
    return desk.inJupyter({ model, el });
  },
};
