import Wire

/// The places of the changing values in a `touch:moved` frame: x from `start` on, then `,"y":` and y, then, with an
/// element, `,"elementId":` and its id.
struct TouchPlace: Sendable, Equatable {
    var start = 0
    var xCount = 0
    var yCount = 0
    var elementCount = 0

    static let beforeY: StaticString = ",\"y\":"
    static let beforeElement: StaticString = ",\"elementId\":"
    static let end: StaticString = "}]"

    /// The length from `start` to the frame's end.
    var byteCount: Int {
        let element = elementCount > 0 ? Self.beforeElement.utf8CodeUnitCount + elementCount : 0
        return xCount + Self.beforeY.utf8CodeUnitCount + yCount + element + Self.end.utf8CodeUnitCount
    }

    /// Where x, y and the element's id are, of a frame that begins at `base`; the last is empty without an element.
    func values(base: Int) -> (x: Range<Int>, y: Range<Int>, elementID: Range<Int>) {
        let x = base + start
        let y = x + xCount + Self.beforeY.utf8CodeUnitCount
        let element = y + yCount + (elementCount > 0 ? Self.beforeElement.utf8CodeUnitCount : 0)
        return (x..<x + xCount, y..<y + yCount, element..<element + elementCount)
    }

    /// Appends the values in the form of `touch:batch`: `[slot,x,y]` or `[slot,x,y,elementId]`. The frame begins at
    /// `base`.
    func appendTuple(slot: Int, of bytes: [UInt8], base: Int, to batch: inout [UInt8]) {
        let (x, y, elementID) = values(base: base)
        batch.append(UInt8(ascii: "["))
        DecimalInteger.append(slot, to: &batch)
        batch.append(UInt8(ascii: ","))
        batch.append(contentsOf: bytes[x])
        batch.append(UInt8(ascii: ","))
        batch.append(contentsOf: bytes[y])
        if elementCount > 0 {
            batch.append(UInt8(ascii: ","))
            batch.append(contentsOf: bytes[elementID])
        }
        batch.append(UInt8(ascii: "]"))
    }
}
