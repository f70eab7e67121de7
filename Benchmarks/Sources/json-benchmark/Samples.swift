/// Texts of the sizes and shapes that a server of Rooms reads.
enum Samples {
    static let touch = text(#"{"roomId":"r1","x":12.5,"y":3,"elementId":"e"}"#)

    static let longTouch = text(
        #"{"roomId":"0b5ff3de-7a24-4a0e","x":187.33332824707031,"y":1024.6666666666667,"elementId":"8f14e45f-ceea-467f"}"#
    )

    /// Touches that differ in the lengths of their parts, the last quarter in the order of their members too, so that
    /// the processor cannot learn one of them by heart.
    static let touches: [[UInt8]] = (0..<1024).map { index in
        var random = UInt64(index) &* 0x9e37_79b9_7f4a_7c15
        func next(_ limit: UInt64) -> Int {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((random >> 33) % limit)
        }
        let room = "\"roomId\":\"" + "0b5ff3de-7a24-4a0e-9d2b-3f1e".prefix(2 + next(26)) + "\""
        let x = "\"x\":\(Double(next(100_000)) / [1, 2, 3, 10, 16][next(5)])"
        let y = "\"y\":\(Double(next(100_000)) / [1, 2, 3, 10, 16][next(5)])"
        let element = "\"elementId\":\"" + "8f14e45f-ceea-467f-a9d1".prefix(1 + next(22)) + "\""
        let members = next(3) == 0 ? [room, x, y] : [room, x, y, element]
        let turn = index < 768 ? 0 : next(3)
        return text("{" + (members[turn...] + members[..<turn]).joined(separator: ",") + "}")
    }

    static let createShort = element(content: String(repeating: "A note of some length. ", count: 44).prefix(300))
    static let create = element(content: String(repeating: "A note of some length. ", count: 44).prefix(1000))
    static let createInCyrillic = element(
        content: String(repeating: "Довольно длинная заметка ", count: 40).prefix(1000))
    static let createWithEscapes = element(
        content: String(repeating: #"Line \"one\"\nand two\n"#, count: 44).prefix(1012))

    /// As many elements as fit into a hundred kilobytes.
    static let array: [UInt8] = {
        let count = 100_000 / 234
        return text("[" + (0..<count).map(arrayItem).joined(separator: ",") + "]")
    }()

    private static func arrayItem(_ index: Int) -> String {
        """
        {"id":"element-\(index)","type":"note","positionX":\(Double(index) * 1.25),"positionY":\(1000 - index),\
        "width":200,"height":150.5,"content":"The content of number \(index), as people write it",\
        "createdBy":"user-\(index % 17)","createdAt":"2025-10-10T10:00:00Z","version":\(index % 5),"locked":false}
        """
    }

    private static func element(content: Substring) -> [UInt8] {
        text(
            """
            {"roomId":"r1","type":"note","positionX":120.25,"positionY":-48,"width":200,"height":150,\
            "content":"\(content)","clientId":"c-1041"}
            """)
    }

    private static func text(_ string: String) -> [UInt8] { Array(string.utf8) }
}
