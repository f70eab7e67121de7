// The nodes that are asked: all that live, or the one server that there is.

/** Says beside a list what is missing in it. Said once, not each time that it is asked. */
export function tellSilence(element, lead, silent) {
  const text = silent.length ? `${lead}: no answer from ${silent.join(", ")}.` : "";
  if (element.textContent !== text) element.textContent = text;
}

export class Cluster {
  #door;
  /** The numbers of the nodes that live, this one first; one undefined for a server of its own. */
  nodes = [undefined];
  own;

  constructor(door) {
    this.#door = door;
  }

  /** What this node says of all nodes; null for a server of its own. */
  know(answer) {
    this.own = answer?.own;
    const living = (answer?.nodes ?? []).filter((node) => node.alive).map((node) => node.node);
    this.nodes = answer ? [this.own, ...living.filter((node) => node !== this.own)] : [undefined];
  }

  /** A question to one node. */
  async get(path, node) {
    return this.#door.get(node === undefined || node === this.own ? path : `${path}${path.includes("?") ? "&" : "?"}node=${node}`);
  }

  /** The answers of all nodes, with the node of each. A node that does not answer is left out, but this one is not. */
  async ask(path) {
    return (await this.askAll(path)).answers;
  }

  /** The same, and who has not answered, in words: nodes, and loops of nodes that have. */
  async askAll(path) {
    const all = await Promise.allSettled(this.nodes.map(async (node) => ({ node, ...(await this.get(path, node)) })));
    if (all[0].status === "rejected") throw all[0].reason;
    const answers = all.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
    // 404 says that there is no such node any more.
    const nodes = this.nodes.filter((_, index) => all[index].status === "rejected" && all[index].reason.status !== 404).map((node) => `node ${node}`);
    const loops = answers.flatMap(({ node, silentLoops = [] }) => silentLoops.map((loop) => `loop ${loop}${node === undefined ? "" : ` of node ${node}`}`));
    return { answers, silent: [...nodes, ...loops] };
  }
}
