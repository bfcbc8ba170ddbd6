public import Foundation

extension ImageCodecs {
    /// Describes why `data` cannot be decoded; nil if it can.
    ///
    /// Examines the first bytes and the header; if these are valid, decodes the first frame on the caller's
    /// thread within the current `ImageLimits`. Use it to report a failure, not before each load. The text is
    /// a sentence fragment for a message or a log: `the JPEG is truncated`.
    public static func fault(in data: Data) -> String? {
        guard !data.isEmpty else { return "the body is empty" }
        guard let codec = codec(for: data) else { return UnknownFile(data).message }
        do throws(ImageCodecError) {
            _ = try Image.decode(data, using: codec)
            return nil
        } catch {
            return error.message(about: "the \(codec.format.name)")
        }
    }
}
