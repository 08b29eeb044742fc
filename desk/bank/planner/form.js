// The planner's controls: the run, and its layout. They show the current settings and report changes.

import { html, nothing } from "shardwise:desk";
import { area, box, choice, file, slider, text } from "./controls.js";

const AXES = { tp: "TP, tensor", cp: "CP, context", pp: "PP, pipeline", ep: "EP, experts", dp: "DP, data" };
const ZERO = [
  [0, "0: nothing sharded"],
  [1, "1: optimizer states sharded"],
  [2, "2: gradients, too"],
  [3, "3: weights, too (FSDP)"],
];
const STATES = [
  [12, "12 bytes per parameter"],
  [8, "8 bytes, BF16 moments"],
];
const SHAPE = {
  layers: "layers",
  hidden: "hidden size",
  ffn_hidden: "MLP width",
  heads: "attention heads",
  kv_heads: "key/value heads",
  vocabulary: "vocabulary size",
  experts: "experts",
  experts_per_token: "experts per token",
  expert_ffn_hidden: "expert width",
};
const DERIVED = ["parameters", "active_parameters", "blocks", "recurrence", "mtp_block", "mtp_layers", "small"]; // see `shaped`
const OWN = "custom model";
const CONFIGURED = "from a config.json";

/** Controls for the model, the cluster and the batch. */
export function runControls({ asked, plan, choices, model, cluster }, { set, configure }) {
  const { batch } = asked;
  const named = typeof asked.model === "object" ? (asked.model.name ?? CONFIGURED) : plan.model.name;
  // Whether a few numbers describe the model: its layers differ only in having experts or not.
  const isUniform = model.blocks.every(({ mixer, heads }) => ["full", "latent"].includes(mixer) && !heads);
  const setCluster = (parts) => set({ cluster: { ...asked.cluster, ...parts } });
  const count = (name, words) =>
    text(words, batch?.[name] ?? plan.batch[name], (value) => set({ batch: { ...batch, [name]: value } }));
  const amount = (name, words) => text(words, asked[name], (value) => set({ [name]: value === "" ? null : value }));
  const size = ([name, words]) => text(words, model[name], (value) => set({ model: shaped(model, name, value) }));
  return html`
    <fieldset>
      <legend>Run</legend>
      <div class="controls">
        ${choice("model", choices.model, named, (name) => set({ model: name }))}
        ${choice("GPU type", choices.accelerator, cluster.accelerator, (accelerator) =>
          set({ cluster: { accelerator, gpus: cluster.gpus } }),
        )}
        ${text("number of GPUs", cluster.gpus, (gpus) => setCluster({ gpus }))}
        ${count("global_batch", "global batch size (sequences)")}
        ${count("sequence", "sequence length")}
        ${amount("tokens", "training tokens")}
        ${amount("price", "price per GPU-hour, $")}
      </div>
      <details>
        <summary>Model from a config.json</summary>
        <div class="controls">
          ${file("Hugging Face config.json", configure)}
          ${area("or its text", configure)}
        </div>
      </details>
      <details>
        <summary>Customise</summary>
        <div class="controls">
          ${text("GPUs per node", cluster.gpus_per_node, (value) => setCluster({ gpus_per_node: value }))}
          ${text("network per GPU, per direction", perSecond(cluster.network_bytes_per_s), (value) => setCluster({ network_bytes_per_s: value }))}
          ${isUniform ? Object.entries(SHAPE).map(size) : nothing}
        </div>
      </details>
    </fieldset>
  `;
}

/** Controls for the layout. */
export function layoutControls({ asked, plan, choices, values, model, layout }, { lay, recompute, begin }) {
  const follows = asked.layout?.dp === undefined;
  const set = (name) => (value) => lay(name, value);
  const one = (name, words = AXES[name]) =>
    slider(words, withValue(values[name], layout[name]), layout[name], set(name));
  const groups = values.shard_group.map((ranks) => [
    ranks,
    ranks ? `${ranks.toLocaleString("en")} ranks` : "all ranks",
  ]);
  return html`
    <fieldset>
      <legend>Layout</legend>
      <div class="controls">
        ${one("tp")} ${one("cp")} ${one("pp")} ${model.experts ? one("ep") : nothing}
        <div>
          ${follows ? html`<div class="control"><div class="name">${AXES.dp} <b>${plan.layout.dp}</b></div></div>` : one("dp")}
          ${box("set DP from the number of GPUs", follows, (yes) => lay("dp", yes ? undefined : plan.layout.dp))}
        </div>
        ${one("virtual_stages", "virtual stages")}
        ${one("micro_batch", "micro-batch size")}
        ${choice("ZeRO", ZERO, layout.zero, set("zero"))}
        ${choice("recomputation", choices.recompute, layout.recompute, set("recompute"))}
        ${layout.recompute === "partial" ? text("recomputed layers", layout.recomputed_layers, set("recomputed_layers")) : nothing}
        ${choice("schedule", choices.schedule, layout.schedule, set("schedule"))}
        ${choice("precision", choices.precision, layout.precision, set("precision"))}
        ${choice("software", choices.software, layout.software, set("software"))}
        ${box("sequence parallelism", layout.sequence_parallel, set("sequence_parallel"))}
      </div>
      <details>
        <summary>More settings</summary>
        <div class="controls">
          ${one("ulysses", "Ulysses, ranks of CP")}
          ${choice("ZeRO shards over (HSDP)", groups, layout.shard_group, set("shard_group"))}
          ${choice("optimizer states", STATES, layout.state_bytes, set("state_bytes"))}
          ${choice("CPU offload", choices.offload, layout.offload, set("offload"))}
        </div>
        <fieldset>
          <legend class="quiet">Recompute only</legend>
          <div class="boxes">${values.modules.map((name) => box(name, layout.recompute.split(",").includes(name), (yes) => recompute(name, yes)))}</div>
        </fieldset>
      </details>
      <div class="buttons"><button type="button" @click=${begin}>Suggest a layout</button></div>
    </fieldset>
  `;
}

/** A model with another size: its parameters and layers follow from its sizes, or are lost with them. */
function shaped(model, name, value) {
  const kept = Object.entries(model).filter(([field]) => !DERIVED.includes(field));
  return { ...Object.fromEntries(kept), name: OWN, [name]: value };
}

const withValue = (values, value) =>
  values.includes(value) ? values : [...values, value].sort((one, other) => one - other);

const perSecond = (bytes) => (typeof bytes === "number" ? `${bytes / 1e9} GB/s` : bytes);
