// What is wrong, in words, with what to do. It stands above all else, and is not there when all is well.

import { make } from "./chart.js";
import { timeOfDay } from "./format.js";

export class Problems {
  #section = document.getElementById("problems");
  #list = document.querySelector("#problems ul");
  #shown = "";

  /** - problems: the grave ones first; `node` where it is about another node. */
  show(problems) {
    // Said once, not every two seconds.
    const text = JSON.stringify(problems);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#section.hidden = problems.length === 0;
    this.#list.replaceChildren(...problems.map(({ grave, text, advice, node }) => make("li", { className: grave ? "grave" : "" },
      make("strong", { textContent: node === undefined ? text : `Node ${node}: ${text}` }), make("span", { textContent: advice }))));
  }

  /** The server does not answer since a moment. */
  showSilence(since) {
    this.show([{
      grave: true, text: `The server has not answered since ${timeOfDay(since)}.`,
      advice: "Look whether it runs (systemctl status rooms) and what its log says last. If it runs, look at the network and the proxy. This page asks on.",
    }]);
  }
}
