import CLCMS
import Foundation
import Glibc

/// The way from the colours of an embedded ICC profile (ICC.1:2022) to sRGB, by lcms2.
///
/// With the perceptual intent: the table that a profile with tables is sure to have, and what profiles are
/// made for that come with photographs; for profiles of three curves and a matrix, which most are, every
/// intent but the absolute one gives the same. Safe from any thread, at once too: lcms2 only reads a
/// transform without a cache.
package final class ICCTransform: @unchecked Sendable {
    // Unchecked: the pointer is set once, and what it points to is read only until `deinit`.
    private let transform: cmsHTRANSFORM

    /// The transform from `profile`, or nil where pixels stay as they are: where the profile is sRGB in
    /// effect, is not one of RGB, is broken, or is above `ImageLimits.maximumMetadataBytes`.
    ///
    /// The last transforms are kept, so that a folder of photographs with one profile makes one.
    package static func toSRGB(from profile: ByteReader) -> ICCTransform? {
        guard profile.count > headerBytes, profile.count <= ImageLimits.maximumMetadataBytes else {
            return nil
        }
        return ICCTransformCache.shared.transform(for: Data(profile.bytes)) {
            let transform = ICCTransform(reading: profile)
            return transform?.changesNothing == true ? nil : transform
        }
    }

    /// Bytes that every profile begins with.
    private static let headerBytes = 128

    private init?(reading profile: ByteReader) {
        guard let source = cmsOpenProfileFromMem(profile.bytes.baseAddress, UInt32(profile.count)) else {
            return nil
        }
        defer { cmsCloseProfile(source) }
        guard cmsGetColorSpace(source) == cmsSigRgbData, let target = cmsCreate_sRGBProfile() else {
            return nil
        }
        defer { cmsCloseProfile(target) }
        guard
            let transform = cmsCreateTransform(
                source, Self.rgba8, target, Self.rgba8, UInt32(INTENT_PERCEPTUAL), UInt32(cmsFLAGS_NOCACHE))
        else { return nil }
        self.transform = transform
    }

    deinit {
        cmsDeleteTransform(transform)
    }

    /// Converts `size` pixels of 8-bit RGBA in place, opaque or straight; alpha stays.
    package func convert(_ rows: UnsafeMutableRawPointer, bytesPerRow: Int, size: PixelSize) {
        cmsDoTransformLineStride(
            transform, rows, rows, UInt32(size.width), UInt32(size.height), UInt32(bytesPerRow),
            UInt32(bytesPerRow), 0, 0)
    }

    /// A picture of 8-bit RGBA, opaque or straight, in sRGB.
    package func converted(_ pixels: PixelBuffer) throws(ImageCodecError) -> PixelBuffer {
        try PixelBuffer.decoding(pixels.size, format: pixels.format) { rows, bytesPerRow in
            memcpy(rows, pixels.unsafeBase, pixels.byteCount)
            convert(rows, bytesPerRow: bytesPerRow, size: pixels.size)
        }
    }

    /// lcms2's TYPE_RGBA_8, a macro that Swift does not see: three channels of a byte and one that is not a
    /// colour.
    private static let rgba8: UInt32 = UInt32(PT_RGB) << 16 | 1 << 7 | 3 << 3 | 1

    /// Whether no colour of the grid moves by more than one level: what remains when an sRGB profile with
    /// tables or rounded numbers meets the formula.
    private var changesNothing: Bool {
        var converted = Self.grid
        converted.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            convert(start, bytesPerRow: bytes.count, size: PixelSize(width: bytes.count / 4, height: 1))
        }
        return zip(Self.grid, converted).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    }

    /// Opaque pixels of 17 levels a channel, spread over all colours.
    private static let grid = (0..<17 * 17 * 17).flatMap { index -> [UInt8] in
        func level(_ step: Int) -> UInt8 { UInt8(min(step * 16, 255)) }
        return [level(index / 289), level(index / 17 % 17), level(index % 17), 255]
    }
}
