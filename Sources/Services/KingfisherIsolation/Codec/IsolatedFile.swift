import Foundation
import KingfisherImage

/// A file, and what a decoder process needs to open it.
struct IsolatedFile: Sendable {
    let encoded: EncodedFile
    let format: ImageFormat
    /// The setting of the codec, `CatalogCodec.variant`.
    let variant: Int
    let access: DecoderAccess
    let pool: DecoderPool

    var limits: ImageLimits { encoded.limits }

    /// Other bytes under the same conditions.
    func with(_ data: Data) -> IsolatedFile {
        IsolatedFile(
            encoded: encoded.with(data), format: format, variant: variant, access: access, pool: pool)
    }

    /// The file in a job for a process, which numbers its files.
    func jobFile(_ number: UInt64) -> JobFile {
        JobFile(
            number: number, count: encoded.data.count, format: format.name, variant: variant,
            acceptsPartialImages: encoded.acceptsPartialImages, limits: limits)
    }
}
