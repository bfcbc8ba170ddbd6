import Foundation

extension GainMap {
    /// The quality of a gain map that is encoded again; from here on, colours keep their full resolution.
    private static let quality = 0.9

    /// The gain map for an image that `geometry` makes of the upright original, as a file of `codec`.
    ///
    /// `colors` are the blocks of the original, whose pixels have become sRGB. Decodes and encodes the gain
    /// map on the caller's thread, unless it stays the same.
    package func changed(
        by geometry: ImageGeometry, of colors: ImageMetadataBlocks, for codec: any ImageCodec
    ) throws(GainMapLoss) -> GainMap {
        guard codec.capabilities.contains(.encodesGainMaps) else { throw .format }
        guard colors.codePoints?.isHDR != true else { throw .colors }
        var parameters = parameters
        let pixels: PixelBuffer
        do {
            pixels = try self.pixels(for: geometry)
        } catch {
            throw .unreadable
        }
        if pixels.format.layout == .gray {
            // A factor for all channels is the same in all primaries.
            parameters?.usesBaseColors = true
        } else if parameters?.usesBaseColors == false || colors.hasOtherColors {
            throw .colors
        }
        var file = plainFile
        if !(geometry.isIdentity && codec.format == .JPEG && codec.isUpright(file)) {
            let options = ImageEncodingOptions(quality: Self.quality)
            guard let encoded = try? codec.encode(pixels, options: options) else { throw .unreadable }
            file = encoded
        }
        guard let map = GainMap(file: file, attributes: attributes, parameters: parameters) else {
            throw .unreadable
        }
        return map
    }

    /// The file without its profile, which is not of the samples.
    private var plainFile: Data {
        guard file.withUnsafeBytes(JPEGCodec().matches) else { return file }
        return (try? JPEGStripper.stripped(file, keepsProfile: false)) ?? file
    }

    /// The changed pixels: gray if all channels are equal, otherwise RGBA.
    private func pixels(for geometry: ImageGeometry) throws(ImageCodecError) -> PixelBuffer {
        let opened = try ImageCodecs.open(plainFile)
        let (part, size, orientation) = geometry.applied(to: opened.header.displaySize)
        // As large as the whole gain map would be.
        func whole(_ side: Int, _ full: Int, _ part: Double) -> Int {
            Int(min((Double(side) * Double(full) / part).rounded(.up), 1e6))
        }
        let full = opened.header.displaySize
        let target = PixelSize(
            width: whole(size.width, full.width, part.width),
            height: whole(size.height, full.height, part.height))
        let decoded = try opened.decoder.decode(target.area < full.area ? .atLeast(target.doubled) : .full)
        guard decoded.format.isOpaque else { throw .unsupported("a gain map with alpha") }
        let eight = try decoded.converted(to: PixelFormat(layout: decoded.format.layout, alpha: .opaque))
        let resized = try eight.grayIfEqual().resized(part, of: full, to: size, whole: target)
        return try resized.upright(from: orientation)
    }
}

extension ImageMetadataBlocks {
    /// Whether decoding converts colours, as far as a gain map would not fit any more.
    fileprivate var hasOtherColors: Bool {
        if let profile { return profile.withUnsafeBytes { ICCTransform.toSRGB(from: ByteReader($0)) != nil } }
        return codePoints.map { ![0, 1, 2].contains($0.primaries) } ?? false
    }
}

extension ImageCodec {
    fileprivate func isUpright(_ file: Data) -> Bool {
        file.withUnsafeBytes(matches) && (try? open(EncodedFile(file)).header.orientation) == .up
    }
}

extension PixelBuffer {
    /// One channel in place of three that are equal everywhere; for 8 bits.
    fileprivate func grayIfEqual() throws(ImageCodecError) -> PixelBuffer {
        guard format == .rgba8Opaque else { return self }
        let rows = (0..<height).map { unsafeBase + $0 * bytesPerRow }
        let isGray = rows.allSatisfy { row in
            (0..<width).allSatisfy { x in
                let pixel = row.loadUnaligned(fromByteOffset: x * 4, as: SIMD4<UInt8>.self)
                return pixel.x == pixel.y && pixel.y == pixel.z
            }
        }
        guard isGray else { return self }
        return try PixelBuffer.decoding(size, format: .gray8, extent: extent) { target, stride in
            for (y, row) in rows.enumerated() {
                for x in 0..<width {
                    target.storeBytes(
                        of: row.load(fromByteOffset: x * 4, as: UInt8.self), toByteOffset: y * stride + x,
                        as: UInt8.self)
                }
            }
        }
    }

    /// A part of the image, whose edges may be between pixels, as `size` pixels.
    ///
    /// `part` is in pixels of `full`, of which this image may be a smaller version. `whole` is the size that
    /// the whole image would have.
    fileprivate func resized(
        _ part: PixelPart, of full: PixelSize, to size: PixelSize, whole: PixelSize
    ) throws(ImageCodecError) -> PixelBuffer {
        try ImageLimits.current.check(size, format: format)
        guard max(size.width, size.height) <= ImageLimits.maximumFilteredSide else { throw .tooMuchMemory }
        let source = try shrunk(by: ShrinkPlan(from: self.size, extent: extent, to: whole, margin: 4))
        let across = source.extent.width / Double(full.width)
        let down = source.extent.height / Double(full.height)
        let scaled = PixelPart(
            left: part.left * across, top: part.top * down, width: part.width * across,
            height: part.height * down)
        return try PixelBuffer.resampled(source, to: size, from: scaled)
    }
}
