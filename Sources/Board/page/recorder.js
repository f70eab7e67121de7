// Records sound from the microphone as a file that a server takes. Browsers that record in a format of their own have it
// decoded again and written as WAV.

import { Newest } from "./newest.js";

const TYPES = ["audio/mp4;codecs=mp4a.40.2", "audio/ogg;codecs=opus"];
const EXTENSIONS = { "audio/mp4": "m4a", "audio/ogg": "ogg" };
/** Enough for speech; a minute of it takes 2.9 MB. */
const WAV_RATE = 24_000;
const SECONDS_MAX = 300;

/** Whether this page may record: it needs TLS, or an address of this computer. */
export function canRecord() {
  return Boolean(navigator.mediaDevices?.getUserMedia && globalThis.MediaRecorder);
}

export class Recorder {
  #newest = new Newest();
  #stream = null;
  #recorder = null;
  /** A promise of what it hears. */
  #recorded = null;
  #began = 0;
  #clock = null;

  get isOn() {
    return this.#recorder !== null;
  }

  /**
   * Begins, unless it is cancelled or asked to begin again before the user lets it. Gives whether it did. `tick(seconds)` is told
   * of the time, `full()` when no more fits. Throws a sentence when it may not.
   */
  async start(tick, full) {
    const asked = navigator.mediaDevices.getUserMedia({ audio: true });
    try {
      if (!await this.#newest.show(asked, (stream) => (this.#stream = stream))) {
        asked.then(end, () => {});
        return false;
      }
    } catch (error) {
      throw new Error(error.name === "NotAllowedError"
        ? "The browser may not use the microphone."
        : "No microphone was found.");
    }
    const type = TYPES.find((type) => MediaRecorder.isTypeSupported(type));
    this.#recorder = new MediaRecorder(this.#stream, type ? { mimeType: type } : {});
    this.#recorded = soundOf(this.#recorder);
    this.#recorder.start(1_000);
    this.#began = performance.now();
    this.#clock = setInterval(() => {
      const seconds = (performance.now() - this.#began) / 1_000;
      tick(seconds);
      if (seconds > SECONDS_MAX) full();
    }, 250);
    return true;
  }

  /** Ends, and gives the file. */
  async stop() {
    const sound = this.#recorded;
    this.cancel();
    const recorded = await sound;
    const extension = TYPES.some((type) => type.startsWith(recorded.type)) && EXTENSIONS[recorded.type];
    const file = extension ? recorded : await asWAV(recorded);
    return new File([file], `Recording.${extension || "wav"}`, { type: file.type });
  }

  /** Ends, and forgets what there is. */
  cancel() {
    this.#newest.forget();
    clearInterval(this.#clock);
    if (this.#recorder?.state === "recording") this.#recorder.stop();
    if (this.#stream) end(this.#stream);
    this.#recorder = this.#stream = null;
  }
}

/** The browser hears until its tracks have ended. */
function end(stream) {
  for (const track of stream.getTracks()) track.stop();
}

/** Gives what it records, once it has stopped. */
function soundOf(recorder) {
  const parts = [];
  recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
  return new Promise((resolve) => {
    recorder.addEventListener("stop", () => resolve(new Blob(parts, { type: recorder.mimeType.split(";")[0] })));
  });
}

async function asWAV(blob) {
  const context = new OfflineAudioContext(1, 1, WAV_RATE);
  // It comes at the context's rate; of several channels the first one is as good as another.
  const samples = (await context.decodeAudioData(await blob.arrayBuffer())).getChannelData(0);
  const view = new DataView(new ArrayBuffer(44 + 2 * samples.length));
  const letters = (at, text) => [...text].forEach((letter, index) => view.setUint8(at + index, letter.charCodeAt(0)));
  letters(0, "RIFF");
  view.setUint32(4, 36 + 2 * samples.length, true);
  letters(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true); // PCM
  view.setUint16(22, 1, true); // one channel
  view.setUint32(24, WAV_RATE, true);
  view.setUint32(28, 2 * WAV_RATE, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  letters(36, "data");
  view.setUint32(40, 2 * samples.length, true);
  samples.forEach((sample, index) => view.setInt16(44 + 2 * index, Math.max(-1, Math.min(1, sample)) * 0x7fff, true));
  return new Blob([view], { type: "audio/wav" });
}
