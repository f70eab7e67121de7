extension HTTPResponseHead {
    /// Appends the head to `output`. When it throws, it has appended nothing.
    ///
    /// `Connection` states deviations from the version's default, and names the upgrade when `Upgrade` is among the
    /// headers.
    public func write(
        _ body: HTTPResponseBody, for context: HTTPResponseContext, date: HTTPDate, into output: inout [UInt8]
    ) throws(HTTPResponseError) -> HTTPResponsePlan {
        try check(body)
        let plan = plan(body, for: context)

        output.append(contentsOf: "HTTP/1.1 ".utf8)
        DecimalInteger.append(status, to: &output)
        output.append(ASCII.space)
        output.append(static: HTTPStatus.reasonPhrase(status))
        output.append(static: "\r\nDate: ")
        output.append(contentsOf: date.text)
        output.append(static: "\r\n")
        writeHeaders(into: &output)
        writeFraming(body, plan, for: context, into: &output)
        writeConnection(plan, for: context, into: &output)
        output.append(static: "\r\n")
        return plan
    }

    private func check(_ body: HTTPResponseBody) throws(HTTPResponseError) {
        guard status == 101 || (200..<600).contains(status) else { throw .statusOutOfRange(status) }
        if case .length(let length) = body, length < 0 { throw .negativeLength }
        let bytes = headers.bytes.span
        for field in headers.fields {
            guard !field.name.isEmpty else { throw .invalidName("") }
            for index in field.name where !HTTPSyntax.isToken(bytes[index]) {
                throw .invalidName(headers.text(field.name))
            }
            guard HTTPSyntax.isValue(bytes, field.value) else { throw .invalidValue(name: headers.text(field.name)) }
            guard !Self.isReserved(bytes, field.name) else { throw .reservedName(headers.text(field.name)) }
        }
    }

    private static func isReserved(_ bytes: Span<UInt8>, _ name: Range<Int>) -> Bool {
        switch name.count {
        case 4: ASCII.equalsIgnoringCase(bytes, name, "Date")
        case 10: ASCII.equalsIgnoringCase(bytes, name, "Connection")
        case 14: ASCII.equalsIgnoringCase(bytes, name, "Content-Length")
        case 17: ASCII.equalsIgnoringCase(bytes, name, "Transfer-Encoding")
        default: false
        }
    }

    private func plan(_ body: HTTPResponseBody, for context: HTTPResponseContext) -> HTTPResponsePlan {
        // After 101 the connection continues in another protocol.
        guard status != 101 else { return HTTPResponsePlan(content: .none, keepAlive: true) }
        guard !context.isHead, status != 204, status != 304, body != .length(0) else {
            return HTTPResponsePlan(content: .none, keepAlive: context.keepAlive)
        }
        switch body {
        case .length: return HTTPResponsePlan(content: .plain, keepAlive: context.keepAlive)
        case .streamed where context.minorVersion >= 1:
            return HTTPResponsePlan(content: .chunked, keepAlive: context.keepAlive)
        case .streamed: return HTTPResponsePlan(content: .untilClose, keepAlive: false)
        }
    }

    private func writeHeaders(into output: inout [UInt8]) {
        for field in headers.fields {
            output.append(contentsOf: headers.bytes[field.name])
            output.append(static: ": ")
            output.append(contentsOf: headers.bytes[field.value])
            output.append(static: "\r\n")
        }
    }

    /// The answer to HEAD has the framing of the same GET.
    private func writeFraming(
        _ body: HTTPResponseBody, _ plan: HTTPResponsePlan, for context: HTTPResponseContext,
        into output: inout [UInt8]
    ) {
        guard status != 101, status != 204, status != 304 else { return }
        switch body {
        case .length(let length):
            output.append(static: "Content-Length: ")
            DecimalInteger.append(length, to: &output)
            output.append(static: "\r\n")
        case .streamed where context.minorVersion >= 1:
            output.append(static: "Transfer-Encoding: chunked\r\n")
        case .streamed:
            break
        }
    }

    private func writeConnection(
        _ plan: HTTPResponsePlan, for context: HTTPResponseContext, into output: inout [UInt8]
    ) {
        let upgrades = headers.contains(named: "Upgrade")
        if status == 101 {
            output.append(static: "Connection: Upgrade\r\n")
        } else if !plan.keepAlive {
            output.append(static: upgrades ? "Connection: close, Upgrade\r\n" : "Connection: close\r\n")
        } else if context.minorVersion == 0 {
            output.append(static: upgrades ? "Connection: keep-alive, Upgrade\r\n" : "Connection: keep-alive\r\n")
        } else if upgrades {
            output.append(static: "Connection: Upgrade\r\n")
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(static text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }
}
