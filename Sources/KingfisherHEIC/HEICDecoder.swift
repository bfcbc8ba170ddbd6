import CHEIF
import Foundation
import KingfisherCodecSupport

/// libheif with our decoders, which is loaded at first use.
enum HEICLibrary {
    /// Throws `unsupported` with the name of the package if a library is missing.
    static var functions: kf_heif_functions {
        get throws(ImageCodecError) {
            guard let table = kf_heif() else {
                throw .unsupported("HEIC without \(String(cString: kf_heif_missing()))")
            }
            return table.pointee
        }
    }
}

/// libheif's decoder of one image of a file.
///
/// The bytes must outlive it, because libheif does not copy them. Not for concurrent use.
final class HEICDecoder {
    let heif: kf_heif_functions
    let image: HEICImage
    private let context: OpaquePointer
    private let handle: OpaquePointer

    init(
        _ file: HEICFile, _ image: HEICImage, isThumbnail: Bool = false
    ) throws(ImageCodecError) {
        heif = try HEICLibrary.functions
        self.image = image
        guard let context = heif.heif_context_alloc() else { throw .outOfMemory }
        do throws(ImageCodecError) {
            heif.heif_context_set_max_decoding_threads(context, 0)
            // libheif 1.15 refuses some images whose side is the limit; ours is checked by the decoder.
            heif.heif_context_set_maximum_image_size_limit(context, Int32(clamping: file.longestSide + 64))
            let bytes = file.reader.bytes
            try Self.check(
                heif.heif_context_read_from_memory_without_copy(context, bytes.baseAddress, bytes.count, nil))
            handle = try Self.handle(of: image, in: context, heif, isThumbnail: isThumbnail)
        } catch {
            heif.heif_context_free(context)
            throw error
        }
        self.context = context
    }

    deinit {
        heif.heif_image_handle_release(handle)
        heif.heif_context_free(context)
    }

    private static func handle(
        of image: HEICImage, in context: OpaquePointer, _ heif: kf_heif_functions, isThumbnail: Bool
    ) throws(ImageCodecError) -> OpaquePointer {
        var primary: OpaquePointer?
        try check(heif.heif_context_get_primary_image_handle(context, &primary))
        guard let primary else { throw .corrupt("no primary image") }
        guard isThumbnail else { return primary }
        defer { heif.heif_image_handle_release(primary) }
        var thumbnail: OpaquePointer?
        try check(heif.heif_image_handle_get_thumbnail(primary, UInt32(image.item), &thumbnail))
        guard let thumbnail else { throw .corrupt("no thumbnail") }
        return thumbnail
    }

    static func check(_ error: heif_error) throws(ImageCodecError) {
        guard error.code != heif_error_Ok else { return }
        switch (error.code, error.subcode) {
        case (_, heif_suberror_End_of_data): throw .truncated
        case (_, heif_suberror_Security_limit_exceeded): throw .tooMuchMemory
        case (heif_error_Memory_allocation_error, _): throw .outOfMemory
        case (heif_error_Unsupported_feature, _), (heif_error_Unsupported_filetype, _):
            throw .unsupported("libheif: \(String(cString: error.message))")
        default: throw .corrupt("libheif: \(String(cString: error.message))")
        }
    }

    /// Calls libheif with our decoder; nil if `work` took the frame.
    private func decode(
        _ space: heif_colorspace, _ chroma: heif_chroma, _ work: inout kf_heif_work
    ) throws(ImageCodecError) -> OpaquePointer? {
        guard let options = heif.heif_decoding_options_alloc() else { throw .outOfMemory }
        defer { heif.heif_decoding_options_free(options) }
        options.pointee.ignore_transformations = image.isTurnedByLibrary ? 0 : 1
        var decoded: OpaquePointer?
        let error = withUnsafeMutablePointer(to: &work) { work in
            kf_heif_set_work(work)
            defer { kf_heif_set_work(nil) }
            return heif.heif_decode_image(handle, &decoded, space, chroma, options)
        }
        guard work.refused == 0 else { throw .corrupt("a coded image larger than declared") }
        if error.code == heif_error_Ok || work.take == nil { try Self.check(error) }
        return decoded
    }

    /// The image upright, cropped and resampled to `target`; itself if that is its size.
    func decode(to target: PixelSize) throws(ImageCodecError) -> DecodedPixels {
        let orientation = image.orientation
        let isTurned = image.isTurnedByLibrary
        let stored = orientation.swapsSides && !isTurned ? target.swapped : target
        try ImageLimits.check(stored, format: image.format)
        if image.scalesPlanes(to: target), let pixels = try decodePlanes(to: stored) {
            return try pixels.upright(from: orientation)
        }
        let whole = try decodePixels()
        let size = isTurned ? image.displaySize : image.size
        let shown = stored == size ? whole : try whole.resized(to: stored)
        return isTurned ? shown : try shown.upright(from: orientation)
    }

    /// Nil if the planes cannot be scaled: then the pixels are decoded.
    private func decodePlanes(to size: PixelSize) throws(ImageCodecError) -> DecodedPixels? {
        let shrink = HEICPlaneShrink(image, to: size)
        let isConvertible = try shrink.fill { () throws(ImageCodecError) in
            var work = kf_heif_work()
            work.limit = Int64((image.grid?.cell ?? image.stored).area)
            work.unfiltered = shrink.isSmall ? 1 : 0
            work.user = Unmanaged.passUnretained(shrink).toOpaque()
            work.take = { frame, user in
                guard let user else { return }
                Unmanaged<HEICPlaneShrink>.fromOpaque(user).takeUnretainedValue().put(frame.pointee)
            }
            if let grid = image.grid {
                try decodeCells(of: grid, &work, into: shrink)
            } else {
                let rest = try decode(heif_colorspace_undefined, heif_chroma_undefined, &work)
                if let rest { heif.heif_image_release(rest) }
                try shrink.checkFrame()
            }
            shrink.findMatrix(codePoints: image.grid == nil ? codePoints() : image.grid?.codePoints)
        }
        guard isConvertible else { return nil }
        return DecodedPixels(try shrink.pixels(), colors: colors())
    }

    /// libheif would hold the image as a whole, and convert the colours of each cell.
    private func decodeCells(
        of grid: HEICGrid, _ work: inout kf_heif_work, into shrink: HEICPlaneShrink
    ) throws(ImageCodecError) {
        for (number, cell) in grid.cells.enumerated() {
            shrink.beginCell(number, of: grid)
            grid.parameterSets.withUnsafeBytes { sets in
                withUnsafeMutablePointer(to: &work) { work in
                    kf_heif_set_work(work)
                    kf_heif_take_frame(sets.baseAddress, sets.count, cell.bytes.baseAddress, cell.count)
                    kf_heif_set_work(nil)
                }
            }
            guard work.refused == 0 else { throw .corrupt("a coded image larger than declared") }
            try shrink.checkFrame()
        }
    }

    private func decodePixels() throws(ImageCodecError) -> DecodedPixels {
        let depth = image.format.depth
        let chroma = depth == .eight ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RRGGBBAA_LE
        var work = kf_heif_work()
        work.limit = Int64(image.largest.area)
        guard let decoded = try decode(heif_colorspace_RGB, chroma, &work) else {
            throw .corrupt("no image")
        }
        let pixels = try adopt(decoded)
        let colors = colors()
        guard !image.isWhole, !image.isTurnedByLibrary else { return DecodedPixels(pixels, colors: colors) }
        return DecodedPixels(
            try pixels.cropped(
                x: image.left, y: image.top, width: image.size.width, height: image.size.height),
            colors: colors)
    }

    /// The pixels of libheif without a copy; the image is released with them.
    private func adopt(_ decoded: OpaquePointer) throws(ImageCodecError) -> PixelBuffer {
        let size = PixelSize(
            width: Int(heif.heif_image_get_width(decoded, heif_channel_interleaved)),
            height: Int(heif.heif_image_get_height(decoded, heif_channel_interleaved)))
        var stride: Int32 = 0
        let rows = heif.heif_image_get_plane(decoded, heif_channel_interleaved, &stride)
        let expected = image.isTurnedByLibrary ? image.displaySize : image.stored
        let bits = Int(heif.heif_image_get_bits_per_pixel_range(decoded, heif_channel_interleaved))
        let depth = image.format.depth
        guard let rows, size == expected, depth == .eight ? bits == 8 : (9...16).contains(bits) else {
            heif.heif_image_release(decoded)
            throw .corrupt("another size or depth than declared")
        }
        if depth == .sixteen, bits < 16 {
            for y in 0..<size.height {
                let row = UnsafeMutableRawPointer(rows + y * Int(stride)).assumingMemoryBound(to: UInt16.self)
                kf_heif_extend(row, size.width * 4, Int32(bits))
            }
        }
        let isMultiplied = image.hasAlpha && heif.heif_image_handle_is_premultiplied_alpha(handle) != 0
        let format = PixelFormat(
            layout: .rgba, depth: depth,
            alpha: !image.hasAlpha ? .opaque : isMultiplied ? .premultiplied : .straight)
        // An address is Sendable; the image has no other owner.
        let address = Int(bitPattern: decoded)
        let release = heif.heif_image_release
        return try PixelBuffer(
            adopting: rows, width: size.width, height: size.height, bytesPerRow: Int(stride), format: format,
            release: { _ in release(OpaquePointer(bitPattern: address)) })
    }

    /// The conversion by the ICC profile, or else by the `nclx` code points; nil for sRGB and for unknown
    /// ones.
    private func colors() -> ICCTransform? {
        let depth = image.format.depth
        if let profile = try? profile() {
            return profile.withUnsafeBytes {
                ICCTransform.toSRGB(from: ByteReader($0), of: .rgb(depth))
                    ?? ICCTransform.toSRGB(from: ByteReader($0), of: .grayInColor(depth))
            }
        }
        return codePoints().flatMap { ColorEncoding(primaries: $0.primaries, transfer: $0.transfer) }?
            .transform(of: .rgb(depth))
    }

    private func profile() throws(ImageCodecError) -> Data? {
        let size = heif.heif_image_handle_get_raw_color_profile_size(handle)
        guard size > 0 else { return nil }
        try ImageLimits.check(metadataBytes: size)
        var profile = Data(count: size)
        let error = profile.withUnsafeMutableBytes {
            heif.heif_image_handle_get_raw_color_profile(handle, $0.baseAddress)
        }
        return error.code == heif_error_Ok ? profile : nil
    }

    /// With the values of sRGB for "reserved" and "unspecified", which many writers leave there; nil if the
    /// file has none.
    private func codePoints() -> ImageMetadata.CodePoints? {
        var nclx: UnsafeMutablePointer<heif_color_profile_nclx>?
        let error = heif.heif_image_handle_get_nclx_color_profile(handle, &nclx)
        guard error.code == heif_error_Ok, let nclx else { return nil }
        defer { heif.heif_nclx_color_profile_free(nclx) }
        func specified(_ value: UInt32, _ other: Int) -> Int { value == 0 || value == 2 ? other : Int(value) }
        return ImageMetadata.CodePoints(
            primaries: specified(nclx.pointee.color_primaries.rawValue, 1),
            transfer: specified(nclx.pointee.transfer_characteristics.rawValue, 13),
            matrix: Int(nclx.pointee.matrix_coefficients.rawValue),
            isFullRange: nclx.pointee.full_range_flag != 0)
    }

    // MARK: Metadata

    func metadataBlocks() throws(ImageCodecError) -> ImageMetadataBlocks {
        var blocks = ImageMetadataBlocks()
        blocks.channels = image.hasAlpha ? 4 : 3
        if let profile = try profile() {
            profile.withUnsafeBytes { blocks.keep(ByteReader($0), as: \.profile) }
        } else {
            blocks.codePoints = codePoints()
        }
        var items = [heif_item_id](repeating: 0, count: 64)
        let count = heif.heif_image_handle_get_list_of_metadata_block_IDs(handle, nil, &items, 64)
        for item in items.prefix(Int(count)) { keep(item, in: &blocks) }
        return blocks
    }

    private func keep(_ item: heif_item_id, in blocks: inout ImageMetadataBlocks) {
        let size = heif.heif_image_handle_get_metadata_size(handle, item)
        let type = heif.heif_image_handle_get_metadata_type(handle, item).map { String(cString: $0) }
        let content = heif.heif_image_handle_get_metadata_content_type(handle, item).map {
            String(cString: $0)
        }
        let isXMP = type == "mime" && content == "application/rdf+xml"
        guard size > 0, type == "Exif" || isXMP else { return }
        guard size <= blocks.room else { return blocks.isComplete = false }
        var block = Data(count: size)
        let error = block.withUnsafeMutableBytes {
            heif.heif_image_handle_get_metadata(handle, item, $0.baseAddress)
        }
        guard error.code == heif_error_Ok else { return blocks.isComplete = false }
        block.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes)
            guard !isXMP else { return blocks.keep(reader, as: \.xmp) }
            // The offset of the TIFF file is before it (ISO/IEC 23008-12, A.2.1).
            guard let offset = reader.uint32(at: 0, bigEndian: true), offset <= size - 4,
                let file = reader.slice(at: 4 + offset, count: size - 4 - offset)
            else { return }
            blocks.keep(file, as: \.exif)
        }
    }
}
