/// Ids of devices and uploads in the form that applications on phones expect: 25 small letters and digits.
enum PhoneID {
    private static let alphabet = Array("0123456789abcdefghijklmnopqrstuvwxyz".utf8)

    static func new() -> String {
        var generator = SystemRandomNumberGenerator()
        let letters = (0..<22).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
        return "clx" + String(decoding: letters, as: UTF8.self)
    }
}
