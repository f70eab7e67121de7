import Wire

/// The first byte chooses one of the three forms of payload or one of the four kinds of WebSocket message. Whatever a
/// payload is read as has to come out the same after it was written and read again, and has to take the bytes that
/// were foretold.
func fuzzEngineIO(_ input: UnsafeRawBufferPointer) {
    guard let choice = input.first else { return }
    let body = Array(input.dropFirst())
    switch choice % 7 {
    case 0: checkPayload(body, .separated)
    case 1: checkPayload(body, .counted)
    case 2: checkPayload(body, .framed)
    case 3: checkFrame(body, try? EngineFrame.decode(text: body.span, version: .v3))
    case 4: checkFrame(body, try? EngineFrame.decode(text: body.span, version: .v4))
    case 5: checkFrame(body, try? EngineFrame.decode(binary: body.span, version: .v3))
    default: checkFrame(body, try? EngineFrame.decode(binary: body.span, version: .v4))
    }
}

private func checkPayload(_ body: [UInt8], _ form: EnginePayload.Form) {
    guard let packets = try? EnginePayload.decode(body.span, form: form) else { return }
    var writer = EnginePayloadWriter(form: form)
    var again: [UInt8] = []
    for packet in packets {
        let end = again.count + writer.size(packet.data.span, isBinary: packet.isBinary)
        writer.append(packet.type, packet.data.span, isBinary: packet.isBinary, to: &again)
        precondition(again.count == end, "a packet took other than the foretold bytes")
    }
    let second = try? EnginePayload.decode(again.span, form: form)
    precondition(second == packets, "a payload did not survive the round trip")
}

private func checkFrame(_ body: [UInt8], _ frame: EngineFrame?) {
    guard let frame else { return }
    precondition(frame.data.upperBound == body.count && frame.data.lowerBound <= 2, "data outside of the message")
}
