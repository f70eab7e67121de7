// Requests to the server's REST interface, and what can become of them. It needs no page: docs/REST.md describes the answers.

/** A server that has not answered by then is taken for one that cannot be reached. */
const ANSWER_MAX = 20_000;

/** Why the server refuses what a user entered. All else that it refuses with 401 is a token. */
const WRONG_ENTRIES = ["WRONG_CREDENTIALS", "WRONG_CODE"];

/** No answer came. The server may have done what was asked, or not. */
export class Unreachable extends Error {
  constructor() {
    super("The server cannot be reached. Check your connection and try again.");
  }
}

/** The server refused a request. The message is a sentence for users. */
export class Refusal extends Error {
  /**
   * `status` of HTTP; `field`: the name of the field that is wrong; `reason`: why a token or a credential is no good;
   * `wait`: the seconds after which a request may succeed, 0 if the server named none.
   */
  constructor(status, { error, details: { field, reason } = {} } = {}, wait = 0) {
    super(sentence(status, error, field, wait));
    Object.assign(this, { status, field, reason, wait });
  }

  /** Whether the server did not take the token. */
  get isOfToken() {
    return this.status === 401 && !WRONG_ENTRIES.includes(this.reason);
  }
}

/**
 * Sends a request. Gives the answer's `data`, and `nextCursor` of a list with more pages.
 *
 * @param {object} options body: an object that goes as JSON; token: to show the server; headers: more of them.
 */
export async function request(method, path, { body, token, headers } = {}) {
  const shown = {
    ...headers, ...(token && { Authorization: `Bearer ${token}` }), ...(body && { "Content-Type": "application/json" }),
  };
  let answer, content;
  try {
    answer = await fetch(path, {
      method, headers: shown, body: body && JSON.stringify(body), cache: "no-store", signal: AbortSignal.timeout(ANSWER_MAX),
    });
    content = await answer.text();
  } catch {
    throw new Unreachable();
  }
  const fields = parsed(content);
  if (!answer.ok) throw new Refusal(answer.status, fields, Number(answer.headers.get("Retry-After")) || 0);
  return { data: fields.data, nextCursor: fields.nextCursor };
}

/** A proxy on the way may answer with something that is not JSON. */
function parsed(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

function sentence(status, error, field, wait) {
  if (status === 429) return `Too many attempts. Try again in ${waitInWords(wait || 1)}.`;
  if (!error) return `The server could not answer (${status}). Try again in a moment.`;
  // The field's name in the interface says nothing to users. The sentence stands beside the field.
  const text = field && error.startsWith(`${field} `) ? error.slice(field.length + 1) : error;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** `30 seconds`, `5 minutes`: never less than the time. */
export function waitInWords(seconds) {
  const counted = (count, unit) => `${count} ${unit}${count === 1 ? "" : "s"}`;
  if (seconds < 100) return counted(Math.ceil(seconds), "second");
  if (seconds < 6_000) return counted(Math.ceil(seconds / 60), "minute");
  return counted(Math.ceil(seconds / 3_600), "hour");
}
