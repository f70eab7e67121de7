/// Which forms of a content a client takes (RFC 9110, section 12.5.3).
public enum ContentCoding {
    /// Whether an `Accept-Encoding` takes gzip. The coding without compression is always taken.
    public static func takesGzip(_ accepted: String?) -> Bool {
        guard let accepted else { return false }
        var (named, any): (Bool?, Bool?) = (nil, nil)
        for part in accepted.split(separator: ",").prefix(32) {
            guard let coding = HeaderParameters(String(part)) else { continue }
            // `q=0` refuses it.
            let isTaken = coding["q"].map { $0.utf8.contains { ASCII.isDigit($0) && $0 != 0x30 } } ?? true
            switch coding.value {
            case "gzip", "x-gzip": named = isTaken
            case "*": any = isTaken
            default: break
            }
        }
        return named ?? any ?? false
    }
}
