/// The rest of a session's polling after an upgrade: the client may have a POST in progress.
///
/// The stock JavaScript, Java and Python clients wait for their POSTs before they upgrade. The stock Swift client does
/// not: its upgrade, on a connection of its own, overtakes the POST. The server accepts such a POST until the first
/// message from the WebSocket has been handled, so that packets keep their order.
///
/// A client that has not connected to a namespace has its CONNECT in such a POST. Its messages wait for the POST, as
/// long as one is accepted.
///
/// The Swift client asks for base64, and after the upgrade sends at once over the WebSocket what it has queued after
/// the POST. So messages of clients that ask for base64 wait for a moment after the upgrade, or until the POST has
/// arrived.
struct PollingTail {
    let polling: PollingTransport
    /// On the shard's clock.
    let until: Int64
}
