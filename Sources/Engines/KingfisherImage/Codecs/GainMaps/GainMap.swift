public import Foundation

/// The gain map of an image: what a display of high dynamic range adds to the base image, which other
/// displays show alone.
///
/// The library does not apply gain maps. It reads them from JPEG files (Ultra HDR, ISO 21496-1) and AVIF
/// files (ISO 21496-1), and writes them, changed as the base image was, into new ones. Everything in it is
/// untrusted.
public struct GainMap: Hashable, Sendable {
    /// A form of the parameters in a file.
    public enum Form: String, Hashable, Sendable, CaseIterable {
        /// XMP of Adobe, in JPEG ("Ultra HDR Image Format", version 1).
        case ultraHDR = "ultra-hdr"
        /// The binary form of ISO 21496-1.
        case iso = "iso-21496-1"
    }

    /// A file of a registered format whose upright pixels are the gain map. It has no metadata but a profile,
    /// which describes the colours of the brighter image, not the samples.
    package let file: Data
    /// The size of the upright gain map in pixels.
    public let size: PixelSize
    package let attributes: GainMapAttributes?
    package let parameters: GainMapParameters?

    /// Nil without parameters in one form, and for a file that cannot be opened.
    package init?(file: Data, attributes: GainMapAttributes?, parameters: GainMapParameters?) {
        guard attributes != nil || parameters != nil, let header = try? ImageCodecs.open(file).header else {
            return nil
        }
        (self.file, size) = (file, header.displaySize)
        (self.attributes, self.parameters) = (attributes, parameters)
    }

    /// The gain map of a file of a registered format; nil if it has none that the library reads.
    ///
    /// Decodes no pixels. Works on the caller's thread; time is linear in the file.
    public init?(of data: Data) {
        guard let map = ImageCodecs.codec(for: data)?.gainMap(in: data) else { return nil }
        self = map
    }

    /// The parameters of ISO 21496-1, made of XMP if the file has no others.
    package var binaryParameters: GainMapParameters? { parameters ?? attributes.flatMap { .init($0) } }

    /// The forms of its parameters in the file.
    public var forms: [Form] {
        (attributes == nil ? [] : [.ultraHDR]) + (parameters == nil ? [] : [.iso])
    }

    /// The logarithm to base 2 of the display's headroom from which on the gain map applies fully; for a base
    /// image that is the brighter one, up to which the base image is shown unchanged.
    public var capacity: Double { parameters?.capacity ?? attributes?.capacity ?? 0 }
}

/// Why a new image has no gain map although its original has one.
public enum GainMapLoss: String, Error, Hashable, Sendable {
    /// It is missing, malformed or too large, or of a kind that the library does not read, such as Apple's.
    case unreadable
    /// The image was changed by more than cropping, scaling and turning.
    case processing
    /// Its channels have gains for primaries that the new image, which is sRGB, does not have.
    case colors
    /// The new format has no place for a gain map, or the library does not write it there.
    case format
    /// The new file, or its XMP, would be too long.
    case length
}
