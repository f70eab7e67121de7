// Passkeys: the two calls of WebAuthn, with bytes as the server writes them: base64url text. It needs no page.

/** ES256, EdDSA and RS256, by their numbers in COSE. */
const ALGORITHMS = [-7, -8, -257];

/** Ends the call that waits for the user now. A window can show one dialog for passkeys at a time. */
let asking = new AbortController();

/** Whether this browser can use passkeys on this page. */
export function canUsePasskeys() {
  return globalThis.isSecureContext === true && "PublicKeyCredential" in globalThis;
}

/**
 * Makes a passkey on a device of the user. Throws an error with a sentence for users.
 *
 * @param {object} challenge the server's answer; `known`: the ids of the passkeys that the user has
 * @param {string} name what the user's devices show
 */
export async function makePasskey({ challenge, domain, userId, known = [] }, name) {
  const { response } = await ask(domain, "No passkey was made.", (signal) => navigator.credentials.create({
    signal,
    publicKey: {
      challenge: bytesOf(challenge),
      rp: { id: domain, name: "Rooms" },
      user: { id: new TextEncoder().encode(userId), name, displayName: name },
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      excludeCredentials: known.map((id) => ({ type: "public-key", id: bytesOf(id) })),
      attestation: "none",
    },
  }));
  return { attestationObject: textOf(response.attestationObject), clientDataJSON: textOf(response.clientDataJSON) };
}

/** Has the user choose a passkey, which signs the challenge. Throws an error with a sentence for users. */
export async function usePasskey({ challenge, domain }) {
  const { id, response } = await ask(domain, "The passkey was not used.", (signal) => navigator.credentials.get({
    signal,
    publicKey: { challenge: bytesOf(challenge), rpId: domain, allowCredentials: [], userVerification: "required" },
  }));
  return {
    id,
    authenticatorData: textOf(response.authenticatorData),
    clientDataJSON: textOf(response.clientDataJSON),
    signature: textOf(response.signature),
  };
}

/** Takes back the question that the browser asks now: the user went elsewhere. */
export function stopAsking() {
  asking.abort();
}

async function ask(domain, refused, call) {
  stopAsking();
  asking = new AbortController();
  try {
    return await call(asking.signal);
  } catch (error) {
    throw new Error(sentence(error, domain, refused), { cause: error });
  }
}

/** A browser does not tell whether the user refused, took too long or has no passkey: `refused` is for all of that. */
function sentence({ name, message }, domain, refused) {
  switch (name) {
    case "NotAllowedError":
    case "AbortError":
      return refused;
    case "InvalidStateError":
      return "This device has a passkey for this account already.";
    case "SecurityError":
      return `Passkeys of this server work at the address ${domain}, and not at the address of this page.`;
    default:
      return message;
  }
}

export function textOf(buffer) {
  const characters = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
  return btoa(characters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function bytesOf(text) {
  const characters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(characters, (character) => character.charCodeAt(0));
}
