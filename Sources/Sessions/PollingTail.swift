/// What is left of a session's polling once the session has upgraded: the client may have a POST under way.
///
/// The stock JavaScript, Java and Python clients wait for their POSTs before they upgrade. The stock Swift client does
/// not: the upgrade, on a connection of its own, overtakes the POST. The server takes such a POST as long as no message
/// from the WebSocket has been handed on, so that packets keep their order.
///
/// A client that has not connected to a namespace has its CONNECT in such a POST. Its messages wait for the POST as long as
/// one is taken.
///
/// The Swift client asks for base64, and sends what it has queued behind the POST over the WebSocket at once. Messages of
/// clients that ask for base64 therefore wait for a moment after the upgrade, or until the POST has come.
struct PollingTail {
    let polling: PollingTransport
    /// On the shard's clock.
    let until: Int64
}
