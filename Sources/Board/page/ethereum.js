// The wallet of the browser (EIP-1193, `window.ethereum`): an address that the user chooses, and what the wallet signs. It needs
// no page.

/** The numbers of errors: the user refused; the wallet asks something already. */
const REFUSED = 4001;
const BUSY = -32002;

/** Ends the wait for what the wallet is asked now. */
let asking = new AbortController();

/** Whether this browser has a wallet. An extension may bring it a moment after the page. */
export function hasWallet() {
  return typeof globalThis.ethereum?.request === "function";
}

/** What the server calls the wallet. */
export function walletType() {
  return globalThis.ethereum?.isMetaMask ? "metamask" : "browser";
}

/** Takes back what the wallet is asked: the user went elsewhere. */
export function leaveWallet() {
  asking.abort();
}

/**
 * Has the user choose an address, whose wallet then signs a message of the server. Throws an error with a sentence for users.
 *
 * @param {(address: string) => Promise<string>} messageFor the server's message for an address
 */
export async function signWithWallet(messageFor) {
  leaveWallet();
  asking = new AbortController();
  const { signal } = asking;
  const [address] = await ask(signal, "eth_requestAccounts");
  if (typeof address !== "string") throw new Error("The wallet has no address.");
  const message = await messageFor(address);
  const signature = await ask(signal, "personal_sign", hexOf(message), address);
  return { message, signature, walletType: walletType() };
}

/** A wallet may never answer. */
async function ask(signal, method, ...params) {
  if (!hasWallet()) throw new Error("This browser has no wallet.");
  try {
    signal.throwIfAborted();
    const left = new Promise((_, reject) => signal.addEventListener("abort", reject));
    return await Promise.race([globalThis.ethereum.request({ method, params }), left]);
  } catch (error) {
    throw new Error(signal.aborted ? "The wallet was not used." : sentence(error ?? {}), { cause: error });
  }
}

function sentence({ code, message }) {
  switch (code) {
    case REFUSED: return "You have refused it in your wallet.";
    case BUSY: return "Your wallet asks you something already. Open it.";
    default: return message ? `Your wallet says: ${String(message).slice(0, 200)}` : "Your wallet does not answer.";
  }
}

/** The bytes of a text, as wallets want them. */
export function hexOf(text) {
  return `0x${Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
