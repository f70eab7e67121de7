// One room: its load, its members, and how far each member is behind.

import { make } from "./chart.js";
import { tellSilence } from "./cluster.js";
import { bytes, number, rate, seconds } from "./format.js";
import { Picture } from "./picture.js";
import { stateOf } from "./rooms.js";
import { Rows } from "./rows.js";

const EVERY_MILLISECONDS = 500;
/** A room that nobody is in changes seldom. */
const KEPT_MILLISECONDS = 5_000;

export class RoomView {
  id = null;
  #cluster;
  #actions;
  #dialog = document.getElementById("room");
  #facts = document.getElementById("room-facts");
  #members = new Rows(document.querySelector("#members tbody"), "socket", (member) => this.#row(member));
  #silence = document.getElementById("silent-members");
  #close = document.getElementById("room-close");
  #picture = new Picture(document.getElementById("picture"));
  /** Counts what was opened: a room that is opened again is not watched twice. */
  #turn = 0;

  constructor(cluster, actions) {
    this.#cluster = cluster;
    this.#actions = actions;
    document.getElementById("room-leave").addEventListener("click", () => this.#dialog.close());
    this.#dialog.addEventListener("close", () => this.#dialog.open || this.#left());
    this.#close.addEventListener("click", async () => {
      const { id } = this;
      if ((await actions.closeRoom(id)) && this.id === id) this.#dialog.close();
    });
  }

  open(id) {
    this.id = id;
    this.#turn += 1;
    document.getElementById("room-name").textContent = id;
    this.#facts.textContent = "";
    this.#showMembers([]);
    this.#picture.begin(id);
    if (!this.#dialog.open) this.#dialog.showModal();
    location.hash = encodeURIComponent(id);
    this.#watch(id, this.#turn);
  }

  #left() {
    this.id = null;
    this.#turn += 1;
    // What is being told shall be seen without the dialog too.
    document.body.append(document.getElementById("notice"));
    this.#picture.end();
    history.replaceState(null, "", location.pathname);
  }

  /** The room as its home knows it, with the members on all nodes; as it is kept only when nobody may have it in use. */
  async #ask(id) {
    const path = `room?id=${encodeURIComponent(id)}`;
    const { answers, silent } = await this.#cluster.askAll(this.#cluster.own === undefined ? path : `${path}&kept=no`);
    const told = answers.filter(({ room }) => room);
    if (told.length) {
      const home = told.find(({ room }) => room.state !== "elsewhere") ?? told[0];
      const placed = ({ node, members }) => (node === undefined ? members : members.map((member) => ({ ...member, shard: `${member.shard} of node ${node}` })));
      return { ...home, members: told.flatMap(placed), silent };
    }
    if (!silent.length) return this.#cluster.get(path);
    const names = silent.join(", ");
    throw new Error(`${names[0].toUpperCase()}${names.slice(1)} ${silent.length > 1 ? "do" : "does"} not answer, and may have the room.`);
  }

  async #watch(id, turn) {
    while (this.#turn === turn) {
      let pause = EVERY_MILLISECONDS;
      try {
        if (!document.hidden) {
          const answer = await this.#ask(id);
          if (this.#turn !== turn) return;
          if (answer.room.state === "kept") pause = KEPT_MILLISECONDS;
          this.#show(answer, id);
        }
      } catch (error) {
        if (this.#turn !== turn) return;
        this.#facts.textContent = error.message;
        this.#close.hidden = error.status === 404;
        if (error.status === 404) this.#showMembers([]);
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  #show({ room, picture, members, silent }, id) {
    this.#close.hidden = room.state === "kept";
    if (room.state === "kept") {
      this.#facts.textContent = [
        "Nobody is in this room. It is shown as it is kept, and was not opened", ...(room.name ? [`name ${room.name}`] : []),
        `${number(room.elements)} elements`, `entry ${number(room.seq)}`, ...(room.active ? [] : ["closed"]),
      ].join(" · ");
      this.#picture.show(picture);
      return this.#showMembers([]);
    }
    if (room.state === "elsewhere") {
      this.#picture.begin(id);
      this.#facts.textContent = `${stateOf(room)}: look there for the room. Members on this node: ${number(room.connections)}`;
      return this.#showMembers(members, silent);
    }
    this.#facts.textContent = [
      `${number(room.participants)} users with ${number(room.connections)} connections`, `${number(room.elements)} elements`,
      `${rate(room.load)} touches and changes`, `ticks of ${seconds(room.tickMilliseconds / 1000)}`,
      `entry ${number(room.seq)}`, `log ${bytes(room.logBytes)}`, ...(room.backlog ? [`${number(room.backlog)} entries not stored yet`] : []),
      ...(room.state === "serving" ? [] : [stateOf(room)]),
    ].join(" · ");
    this.#picture.show(picture);
    this.#showMembers(members, silent);
  }

  /** - silent: the nodes and loops whose members are missing. */
  #showMembers(members, silent = []) {
    tellSilence(this.#silence, "Members are missing", silent);
    members.sort((a, b) => b.entriesBehind - a.entriesBehind || b.ticksBehind - a.ticksBehind || a.person.localeCompare(b.person));
    this.#members.show(members);
  }

  #row(member) {
    const button = make("button", { textContent: "Disconnect…", ariaLabel: `Disconnect ${member.person}…`, className: "grave" });
    button.addEventListener("click", () => this.#actions.disconnect(member.person));
    const ban = make("button", { textContent: "Ban…", ariaLabel: `Ban ${member.person}…`, className: "grave" });
    ban.addEventListener("click", () => this.#actions.ban("person", member.person));
    const behind = make("td");
    const by = `${member.transport}${member.tls ? ", TLS" : ""}${member.batches ? ", batches" : ""}${member.binary ? ", binary" : ""}`;
    const node = make("tr", {}, make("th", { scope: "row", textContent: member.person, title: member.person }), behind,
      make("td", { textContent: by }), make("td", { textContent: member.peer }), make("td", { textContent: member.shard }), make("td", { className: "deeds" }, button, ban));
    const tell = ({ entriesBehind, ticksBehind }) => {
      behind.textContent = entriesBehind ? `${number(entriesBehind)} entries` : ticksBehind ? `${number(ticksBehind)} ticks` : "no";
      node.className = entriesBehind > 0 || ticksBehind > 10 ? "late" : "";
    };
    return { node, tell };
  }
}
