import Kingfisher
import KingfisherDigests

/// The names of a tier key in the engine: `kf1:{SHA-256}` for the entry, `kf1:{SHA-256}:l` for its lease. The
/// braces put both into one hash slot.
struct EntryNames: Hashable, Sendable {
    let entry: String
    let lease: String

    init(_ key: TierKey, version: String) {
        entry = "kf1:{\(SHA256.hexDigest(of: "\(version)\u{0}\(key.text)"))}"
        lease = "\(entry):l"
    }

    /// The name of the generation of a tag.
    static func generation(ofTag tag: String, version: String) -> String {
        "kf1:{\(SHA256.hexDigest(of: "tag\u{0}\(version)\u{0}\(tag)"))}:g"
    }
}
