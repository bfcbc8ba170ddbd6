public import Foundation

extension ImageCodecs {
    /// What keeps `data` from being an image, in words for people; nil when it can be decoded.
    ///
    /// Looks at the first bytes and at the header; where those are good, decodes the first frame once, on the
    /// caller's thread and within `ImageLimits` as they are now. That is work for when a failure is told, not
    /// for asking before each load. The words go into a sentence or a line of a log:
    /// `the JPEG ends too early`.
    public static func fault(in data: Data) -> String? {
        guard !data.isEmpty else { return "the body is empty" }
        guard let codec = codec(for: data) else { return UnknownFile(data).message }
        do throws(ImageCodecError) {
            _ = try codec.header(of: data)
            _ = try Image.decode(data, using: codec)
            return nil
        } catch {
            return error.message(about: "the \(codec.format.name)")
        }
    }
}
