import CLCMS
import Foundation
import Glibc

/// A conversion from the colours of an embedded ICC profile (ICC.1:2022) to sRGB, by lcms2.
///
/// Uses the perceptual intent: it has the table that every table-based profile contains, and it suits
/// photographs. For profiles of three curves and a matrix, the most common kind, all intents but the absolute
/// one are equal. Greyscale stays greyscale, with the curve of sRGB. Safe from any thread, also concurrently:
/// lcms2 does not modify a transform without a cache.
public final class ICCTransform: @unchecked Sendable {
    // Unchecked: the pointer never changes, and its target is only read until `deinit`.
    private let transform: cmsHTRANSFORM
    private let samples: ICCSamples
    /// The sRGB level of each grey of 8 bits; empty for other samples.
    private let levels: [UInt8]

    /// The transform of `samples` from `profile`. Returns nil if no conversion is needed or possible: if the
    /// profile is effectively sRGB, is not for such samples, is corrupt, or exceeds
    /// the limit of metadata.
    ///
    /// The latest transforms are cached, so a folder of photographs with one profile needs one.
    public static func toSRGB(
        from profile: ByteReader, of samples: ICCSamples = .rgb(.eight)
    ) -> ICCTransform? {
        guard profile.count > headerBytes, profile.count <= profile.limits.maximumMetadataBytes else {
            return nil
        }
        return ICCTransformCache.shared.transform(for: Data(profile.bytes), of: samples) {
            let transform = ICCTransform(reading: profile, of: samples)
            return transform?.changesNothing == true ? nil : transform
        }
    }

    private static let headerBytes = 128

    private init?(reading profile: ByteReader, of samples: ICCSamples) {
        guard let source = cmsOpenProfileFromMem(profile.bytes.baseAddress, UInt32(profile.count)) else {
            return nil
        }
        defer { cmsCloseProfile(source) }
        guard cmsGetColorSpace(source) == samples.space else { return nil }
        let output = samples.output
        guard let target = output.space == cmsSigGrayData ? Self.graySRGB() : cmsCreate_sRGBProfile() else {
            return nil
        }
        defer { cmsCloseProfile(target) }
        guard
            let transform = cmsCreateTransform(
                source, samples.lcms, target, output.lcms, UInt32(INTENT_PERCEPTUAL), samples.flags)
        else { return nil }
        self.transform = transform
        self.samples = samples
        levels = Self.levels(of: samples, by: transform)
    }

    private static func levels(of samples: ICCSamples, by transform: cmsHTRANSFORM) -> [UInt8] {
        var grid: [UInt8]
        switch samples {
        case .gray(.eight, let alpha): grid = grays(alpha).map { UInt8($0) }
        case .grayInColor(.eight): grid = graysInColor.map { UInt8($0) }
        case .rgb, .gray, .grayInColor, .inks: return []
        }
        grid.withUnsafeMutableBytes { cmsDoTransform(transform, $0.baseAddress, $0.baseAddress, 256) }
        return stride(from: 0, to: grid.count, by: grid.count / 256).map { grid[$0] }
    }

    /// A greyscale profile with the white point and the curve of sRGB (IEC 61966-2-1).
    private static func graySRGB() -> cmsHPROFILE? {
        guard
            let curve = cmsBuildParametricToneCurve(
                nil, 4, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
        else { return nil }
        defer { cmsFreeToneCurve(curve) }
        return cmsCreateGrayProfile(cmsD50_xyY(), curve)
    }

    deinit {
        cmsDeleteTransform(transform)
    }

    /// Converts `size` pixels of the transform's samples in place; alpha is unchanged, CMYK becomes opaque.
    public func convert(_ rows: UnsafeMutableRawPointer, bytesPerRow: Int, size: PixelSize) {
        guard levels.isEmpty else { return lookUp(rows, bytesPerRow, size) }
        cmsDoTransformLineStride(
            transform, rows, rows, UInt32(size.width), UInt32(size.height), UInt32(bytesPerRow),
            UInt32(bytesPerRow), 0, 0)
        guard samples == .inks else { return }
        for y in 0..<size.height {
            let row = (rows + y * bytesPerRow).assumingMemoryBound(to: UInt8.self)
            for x in 0..<size.width { row[x * 4 + 3] = .max }
        }
    }

    private func lookUp(_ rows: UnsafeMutableRawPointer, _ bytesPerRow: Int, _ size: PixelSize) {
        let (channels, colors) =
            switch samples {
            case .gray(_, let alpha): (alpha ? 2 : 1, 1)
            case .rgb, .grayInColor, .inks: (4, 3)
            }
        levels.withUnsafeBufferPointer { levels in
            for y in 0..<size.height {
                let row = (rows + y * bytesPerRow).assumingMemoryBound(to: UInt8.self)
                for pixel in stride(from: 0, to: size.width * channels, by: channels) {
                    let level = levels[Int(row[pixel])]
                    for channel in pixel..<pixel + colors { row[channel] = level }
                }
            }
        }
    }

    /// Converts an image of the transform's samples to sRGB. Premultiplied alpha is divided before and
    /// multiplied afterwards.
    public func converted(_ pixels: PixelBuffer) throws(ImageCodecError) -> PixelBuffer {
        let format = pixels.format
        if format.alpha == .premultiplied {
            let straight = PixelFormat(layout: format.layout, depth: format.depth, alpha: .straight)
            return try converted(pixels.converted(to: straight)).converted(to: format)
        }
        guard samples.fit(format) else { throw .unsupported("a profile for pixels of another kind") }
        let line = PixelSize(width: pixels.width, height: 1)
        return try PixelBuffer.decoding(pixels.size, format: format, extent: pixels.extent) {
            rows, bytesPerRow in
            for y in 0..<pixels.height {
                let row = rows + y * bytesPerRow
                memcpy(row, pixels.unsafeBase + y * pixels.bytesPerRow, pixels.width * format.bytesPerPixel)
                convert(row, bytesPerRow: bytesPerRow, size: line)
            }
        }
    }

    /// Converts `pixels`, in place if the caller has the only reference.
    public func convert(_ pixels: inout PixelBuffer) throws(ImageCodecError) {
        guard samples.fit(pixels.format), pixels.format.alpha != .premultiplied,
            isKnownUniquelyReferenced(&pixels)
        else {
            pixels = try converted(pixels)
            return
        }
        pixels.changeRows { rows, bytesPerRow in
            convert(rows, bytesPerRow: bytesPerRow, size: pixels.size)
        }
    }

    /// Whether no colour of a grid changes by more than one level of 255, the rounding difference between an
    /// sRGB profile and the formula.
    private var changesNothing: Bool {
        switch samples {
        case .rgb(.eight): keeps(Self.colors.map { UInt8($0) }, channels: 4)
        case .rgb(.sixteen): keeps(Self.colors.map { UInt16($0) * 257 }, channels: 4)
        case .gray(.eight, let alpha): keeps(Self.grays(alpha).map { UInt8($0) }, channels: alpha ? 2 : 1)
        case .gray(.sixteen, let alpha):
            keeps(Self.grays(alpha).map { UInt16($0) * 257 }, channels: alpha ? 2 : 1)
        case .grayInColor(.eight): keeps(Self.graysInColor.map { UInt8($0) }, channels: 4)
        case .grayInColor(.sixteen): keeps(Self.graysInColor.map { UInt16($0) * 257 }, channels: 4)
        case .inks: false
        }
    }

    private func keeps<Sample: FixedWidthInteger>(_ grid: [Sample], channels: Int) -> Bool {
        var converted = grid
        converted.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            convert(
                start, bytesPerRow: bytes.count, size: PixelSize(width: grid.count / channels, height: 1))
        }
        return zip(grid, converted).allSatisfy { abs(Int($0) - Int($1)) <= Int(Sample.max) / 255 }
    }

    private static let colors = (0..<17 * 17 * 17).flatMap { index -> [Int] in
        func level(_ step: Int) -> Int { min(step * 16, 255) }
        return [level(index / 289), level(index / 17 % 17), level(index % 17), 255]
    }

    private static let graysInColor = (0...255).flatMap { [$0, $0, $0, 255] }

    private static func grays(_ alpha: Bool) -> [Int] {
        (0...255).flatMap { alpha ? [$0, 255] : [$0] }
    }
}
