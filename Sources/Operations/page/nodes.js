// The nodes of the cluster that this server is one of.

import { make } from "./chart.js";
import { age, bytes, number } from "./format.js";

export class Nodes {
  #section = document.getElementById("cluster");
  #body = document.querySelector("#nodes tbody");
  #silent = document.getElementById("silent-nodes");
  #shown = "";
  #choice = document.getElementById("node");

  #actions;

  /** - watch: gets the number of the node whose numbers are to be shown. */
  constructor(actions, watch) {
    this.#actions = actions;
    this.#choice.addEventListener("change", () => watch(Number(this.#choice.value)));
  }

  /** - now: the server's time. */
  show({ own, nodes }, now) {
    this.#section.hidden = false;
    this.#offer(nodes.filter((node) => node.alive).map((node) => node.node), own);
    // The rows stay the same nodes while nothing changes, so that a button keeps the focus.
    const text = JSON.stringify({ own, nodes: nodes.map(({ leaseMilliseconds, ...node }) => node) });
    if (text !== this.#shown) this.#body.replaceChildren(...nodes.map((node) => this.#row(node, own, now)));
    this.#shown = text;
    const silent = nodes.filter((node) => !node.alive || !node.report).map((node) => node.node);
    this.#setSilent(silent.length ? `No answer from ${silent.length > 1 ? "nodes" : "node"} ${silent.join(", ")}.` : "");
  }

  #offer(living, own) {
    document.getElementById("node-choice").hidden = false;
    const chosen = Number(this.#choice.value || own);
    // A node that was chosen stays so when it does not answer: no other numbers are taken for its own.
    const offered = living.includes(chosen) ? living : [...living, chosen];
    const texts = offered.map((node) => `node ${node}${node === own ? " (this server)" : living.includes(node) ? "" : " (no answer)"}`);
    if ([...this.#choice.options].map((option) => option.text).join() === texts.join()) return;
    this.#choice.replaceChildren(...offered.map((node, index) => new Option(texts[index], node)));
    this.#choice.value = chosen;
  }

  /** The database, which knows the nodes, does not answer. */
  fail(reason) {
    this.#section.hidden = false;
    this.#setSilent(reason);
  }

  /** The server does not answer. */
  forget() {
    this.#body.replaceChildren();
    this.#shown = "";
    this.#setSilent("");
  }

  #setSilent(text) {
    // Said once, not every two seconds.
    if (this.#silent.textContent !== text) this.#silent.textContent = text;
  }

  #row({ node, alive, draining, reached, report, version }, own, now) {
    const name = node === own ? `${node} (this server)` : `${node}`;
    const state = !alive ? "no answer" : draining ? "draining" : reached ? "serving" : "not reached from here";
    const cells = report
      ? [number(report.connections), number(report.rooms), number(report.roomsElsewhere), bytes(report.memoryBytes),
        report.redis ? "reached" : "not reached", age(now / 1000 - report.startSeconds)]
      : ["", "", "", "", "", ""];
    const isBad = !alive || !reached || (report && !report.redis);
    const deeds = make("td");
    // This server has its button at the top.
    if (alive && !draining && node !== own) {
      const button = make("button", { textContent: "Drain…", ariaLabel: `Drain node ${node}…`, className: "grave" });
      button.addEventListener("click", () => this.#actions.drain(node));
      deeds.append(button);
    }
    return make("tr", { className: isBad ? "late" : "" }, make("th", { scope: "row", textContent: name }),
      ...[state, ...cells, version].map((text) => make("td", { textContent: text })), deeds);
  }
}
