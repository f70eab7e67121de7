// The nodes of the cluster that this server is one of.

import { make } from "./chart.js";
import { age, bytes, number } from "./format.js";
import { Rows } from "./rows.js";

export class Nodes {
  #section = document.getElementById("cluster");
  #rows = new Rows(document.querySelector("#nodes tbody"), "node", ({ node }) => this.#row(node));
  #silent = document.getElementById("silent-nodes");
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
    this.#rows.show(nodes.map((node) => ({ ...node, isOwn: node.node === own, now })));
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
    this.#rows.show([]);
    this.#setSilent("");
  }

  #setSilent(text) {
    // Said once, not every two seconds.
    if (this.#silent.textContent !== text) this.#silent.textContent = text;
  }

  #row(node) {
    const name = make("th", { scope: "row" });
    const cells = Array.from({ length: 8 }, () => make("td"));
    const button = make("button", { textContent: "Drain…", ariaLabel: `Drain node ${node}…`, className: "grave" });
    button.addEventListener("click", () => this.#actions.drain(node));
    const row = make("tr", {}, name, ...cells, make("td", {}, button));
    const tell = ({ alive, draining, reached, report, version, isOwn, now }) => {
      name.textContent = isOwn ? `${node} (this server)` : `${node}`;
      const state = !alive ? "no answer" : draining ? "draining" : reached ? "serving" : "not reached from here";
      const numbers = report
        ? [number(report.connections), number(report.rooms), number(report.roomsElsewhere), bytes(report.memoryBytes),
          report.redis ? "reached" : "not reached", age(now / 1000 - report.startSeconds)]
        : ["", "", "", "", "", ""];
      for (const [cell, text] of [state, ...numbers, version].entries()) cells[cell].textContent = text;
      row.className = !alive || !reached || (report && !report.redis) ? "late" : "";
      // This server has its button at the top.
      button.hidden = !alive || draining || isOwn;
    };
    return { node: row, tell };
  }
}
