import Wire

/// The first byte chooses the version; the rest is a packet's text, as UTF-8 as the layer below would have it. What is
/// read has to lie inside the text and to mean the same after it was written and read again.
func fuzzSocketIO(_ input: UnsafeRawBufferPointer) {
    guard let choice = input.first else { return }
    let version: SocketVersion = choice % 2 == 0 ? .v5 : .v4
    let text = Array(input.dropFirst())
    guard UTF8Validator.isValid(text.span) else { return }
    guard let head = try? SocketPacketHead.decode(text.span, version: version) else { return }
    _ = head.unescapedEventName(text.span)
    checkRoundTrip(head, text, version)
    guard head.type.isBinary else { return }
    let places = try? SocketPlaceholder.find(in: text.span, payload: head.payload, attachments: head.attachments)
    for place in places ?? [] {
        precondition(place.attachment < head.attachments, "a place for no attachment")
        precondition(text[place.range].first == UInt8(ascii: "{") && text[place.range].last == UInt8(ascii: "}"))
    }
}

private func checkRoundTrip(_ head: SocketPacketHead, _ text: [UInt8], _ version: SocketVersion) {
    var namespace = head.namespace.map { Array(text[$0]) } ?? []
    if let query = head.query {
        if namespace.isEmpty { namespace = [UInt8(ascii: "/")] }
        namespace += [UInt8(ascii: "?")] + text[query]
    }
    var again: [UInt8] = []
    SocketPacketWriter.appendHead(
        head.type, attachments: head.attachments, namespace: namespace, ackID: head.ackID, to: &again)
    again += text[head.payload]
    guard let second = try? SocketPacketHead.decode(again.span, version: version) else {
        preconditionFailure("what was read cannot be read again")
    }
    precondition(second.type == head.type && second.attachments == head.attachments && second.ackID == head.ackID)
    precondition(again[second.payload] == text[head.payload] && again[second.eventName] == text[head.eventName])
    precondition(again[second.arguments] == text[head.arguments])
    precondition(second.namespace.map { Array(again[$0]) } == head.namespace.map { Array(text[$0]) })
    precondition(second.query.map { Array(again[$0]) } == head.query.map { Array(text[$0]) })
}
