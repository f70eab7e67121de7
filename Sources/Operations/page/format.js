// Numbers as people read them.

const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const plain = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

export const number = (value) => (Math.abs(value) < 10_000 ? plain.format(value) : short.format(value));
export const small = (value) => (Math.abs(value) < 100 ? fine.format(value) : number(value));
export const rate = (value) => `${value < 10 ? fine.format(Math.round(value * 10) / 10) : number(value)}/s`;
export const percent = (value) => `${Math.round(value * 100)} %`;

export function bytes(value) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let index = 0;
  while (value >= 1000 && index < units.length - 1) {
    value /= 1000;
    index += 1;
  }
  return `${value < 10 && index > 0 ? value.toFixed(1) : Math.round(value)} ${units[index]}`;
}

export const bytesPerSecond = (value) => `${bytes(value)}/s`;

export function seconds(value) {
  if (value >= 1) return `${fine.format(value)} s`;
  if (value >= 0.001) return `${small(value * 1000)} ms`;
  return value > 0 ? `${plain.format(value * 1e6)} µs` : "0 ms";
}

export function age(value) {
  const [days, hours, minutes] = [Math.floor(value / 86_400), Math.floor(value / 3600) % 24, Math.floor(value / 60) % 60];
  if (days) return `${days} d ${hours} h`;
  return hours ? `${hours} h ${minutes} min` : `${minutes} min`;
}

const day = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const second = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

const whole = new Intl.DateTimeFormat("en-GB", { year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** Of milliseconds since 1970: `3 May 2026, 14:03:22`. */
export const moment = (at) => whole.format(at);
/** `14:03`. */
export const clock = (at) => day.format(at);
/** `14:03:22`. */
export const timeOfDay = (at) => second.format(at);
