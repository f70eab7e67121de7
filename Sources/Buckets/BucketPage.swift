import Wire

/// A page of the list of objects: an answer to `ListObjectsV2`.
struct BucketPage {
    private(set) var objects: [Bucket.Object] = []
    /// Where the next page begins; nil on the last one.
    let next: String?

    /// - Parameter prefix: is left out of the names. Objects without it are not ours.
    init(_ xml: [UInt8], without prefix: String) throws(BucketFault) {
        let scan = XMLScan(xml)
        guard scan.contains("ListBucketResult") else {
            throw BucketFault("the bucket's list of objects cannot be read")
        }
        for object in scan.elements("Contents") {
            guard let name = object.text(of: "Key"), let size = object.text(of: "Size").flatMap({ Int($0) }), size >= 0,
                let modified = object.text(of: "LastModified").flatMap(Self.seconds)
            else { throw BucketFault("the bucket's list of objects cannot be read") }
            guard name.hasPrefix(prefix) else { continue }
            objects.append(
                Bucket.Object(name: String(name.dropFirst(prefix.count)), byteCount: size, modified: modified))
        }
        let isTruncated = scan.text(of: "IsTruncated") == "true"
        next = isTruncated ? scan.text(of: "NextContinuationToken") : nil
        if isTruncated, next == nil { throw BucketFault("the bucket's list of objects cannot be read") }
    }

    /// `2026-11-23T09:08:07.000Z`
    static func seconds(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
        func number(_ range: Range<Int>) -> Int? { DecimalInteger.parse(bytes.span, range) }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19), 1970...9999 ~= year, 1...12 ~= month,
            1...31 ~= day, hour < 24, minute < 60, second < 61
        else { return nil }
        // Days since 1970 in the Gregorian calendar, with years that begin in March.
        let years = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let days = years * 365 + years / 4 - years / 100 + years / 400 + dayOfYear - 719_468
        return ((days * 24 + hour) * 60 + minute) * 60 + second
    }
}

/// Reads elements without attributes out of an XML document, as the stores of objects write them.
struct XMLScan {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        self.bytes = bytes[...]
    }

    private init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    func contains(_ name: String) -> Bool { bytes.firstRange(of: Array("<\(name)".utf8)) != nil }

    /// The contents of the elements of this name.
    func elements(_ name: String) -> [XMLScan] {
        let (begin, end) = (Array("<\(name)>".utf8), Array("</\(name)>".utf8))
        var (found, rest): ([XMLScan], ArraySlice<UInt8>) = ([], bytes)
        while let start = rest.firstRange(of: begin), let close = rest[start.upperBound...].firstRange(of: end) {
            found.append(XMLScan(rest[start.upperBound..<close.lowerBound]))
            rest = rest[close.upperBound...]
        }
        return found
    }

    /// The text of the first element of this name, without references; nil when there is none.
    func text(of name: String) -> String? {
        guard let start = bytes.firstRange(of: Array("<\(name)>".utf8)),
            let close = bytes[start.upperBound...].firstRange(of: Array("</\(name)>".utf8))
        else { return nil }
        return Self.plain(String(decoding: bytes[start.upperBound..<close.lowerBound], as: UTF8.self))
    }

    private static func plain(_ text: String) -> String {
        guard text.contains("&") else { return text }
        var (plain, rest) = ("", text[...])
        while let reference = rest.firstIndex(of: "&"), let end = rest[reference...].firstIndex(of: ";") {
            plain += rest[..<reference]
            let name = rest[rest.index(after: reference)..<end]
            plain += named[String(name)] ?? String(rest[reference...end])
            rest = rest[rest.index(after: end)...]
        }
        return plain + rest
    }

    private static let named = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "#34": "\"", "#39": "'"]
}
