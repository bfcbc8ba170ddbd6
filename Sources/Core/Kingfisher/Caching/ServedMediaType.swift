import KingfisherImage

/// The media types under which servers may send files.
enum ServedMediaType {
    /// `application/octet-stream` for a format whose files may contain scripts, unless `allowsScripts`; nil
    /// without a codec.
    static func of(_ codec: (any ImageCodec)?, allowsScripts: Bool) -> String? {
        guard let codec else { return nil }
        let isSafe = allowsScripts || !codec.capabilities.contains(.readsScripts)
        return isSafe ? codec.mediaType : "application/octet-stream"
    }
}
