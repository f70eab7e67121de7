import Identity
import Store

/// Why an account did not do what a client asked for.
package enum AccountFault: Error, Equatable, Sendable {
    /// The address or the password is wrong. It does not say which, and takes the same time for both.
    case wrongCredentials
    /// Another person has the address.
    case emailTaken
    /// Too many attempts; with the seconds to wait.
    case tooManyAttempts(waitSeconds: Int)
    /// The server has sent all texts or letters that it sends in an hour; with the seconds to wait.
    case codesUsedUp(waitSeconds: Int)
    /// The one-time code is not the one that was sent, or cannot be used any more.
    case wrongCode
    /// The text that a client has signed is not one that this server gave out for that, or cannot be used any more.
    case wrongChallenge
    /// A page or an app at this origin cannot use the passkeys of this server.
    case wrongOrigin(String)
    /// The passkey is unknown, or has not signed what it was to sign.
    case wrongPasskey
    /// What an authenticator has made is not a passkey of this server.
    case badPasskey
    /// Somebody has the passkey already.
    case passkeyTaken
    /// What a wallet was to sign is not as it must be.
    case wallet(WalletFault)
    /// Nobody signs in with the wallet.
    case wrongWallet
    /// The node of the chain does not say whether a contract takes a signature.
    case chainFails
    /// Somebody has the wallet already.
    case walletTaken
    /// The person has to sign in again first.
    case sessionTooOld
    /// No text or letter reaches the recipient.
    case unreachable
    /// A text or a letter could not be sent.
    case notSent
    /// Users of the provider cannot sign in here.
    case providerIsOff
    /// The server sends no texts.
    case noCodes
    /// The server sends no letters.
    case noMail
    /// The account has no password.
    case noPassword
    /// An application cannot change the address: a code must show that it is the person's own.
    case addressNeedsCode
    /// More passwords wait to be hashed than the server lets wait.
    case busy
    case token(TokenError)
    case store(StoreError)
}
