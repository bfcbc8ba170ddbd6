import CJPEG

/// JPEG with libjpeg-turbo: baseline and progressive, greyscale, colour and CMYK, oriented by EXIF.
///
/// Decodes at n/8 of the file's size where that is enough. At 1/8 it skips progressive scans without DC
/// coefficients, so corrupt data in them is not detected (decision 037). Greyscale stays greyscale. CMYK
/// becomes RGB by the file's profile, or without one by multiplication. A file without an end-of-image marker
/// is `truncated` at any size, unless the caller accepts partial images.
package struct JPEGCodec: ImageCodec, RegionCodec {
    package init() {}

    package var format: ImageFormat { .JPEG }
    package var fileExtensions: [String] { ["jpg", "jpeg", "jpe"] }
    package var keepsFileBytes: Bool { false }
    package var capabilities: CodecCapabilities {
        [
            .decodesSmall, .encodesStills, .encodesLossy, .encodesChroma, .encodesProgressive,
            .encodesEffort, .readsMetadata, .writesMetadata, .encodesGainMaps,
        ]
    }
    package var version: String {
        let number = Int(kf_jpeg_version())
        return "libjpeg-turbo \(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)"
    }

    package func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.starts(with: [0xFF, 0xD8, 0xFF])
    }

    package func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        try JPEGDecoder(file)
    }

    package func regions(of file: EncodedFile) throws(ImageCodecError) -> (any ImageRegions)? {
        try JPEGDecoder(file).regions
    }

    /// Opens a JPEG within another file, such as the preview of a camera. `orientation` is what that file
    /// states; it replaces the orientation of the JPEG unless it is nil.
    ///
    /// Kinds of JPEG that cannot be decoded are `unsupported` here, not only when they are decoded.
    package func open(
        _ file: EncodedFile, orientation: Image.Orientation?
    ) throws(ImageCodecError) -> any ImageDecoder {
        try JPEGDecoder(file, orientation: orientation)
    }
}
