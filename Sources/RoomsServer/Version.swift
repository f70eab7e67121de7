/// The release of this source.
public enum Version {
    public static let current = "0.1.0"
}
