import CHEIF
import KingfisherCodecSupport
import KingfisherISOBoxes

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
}

/// The bytes that libheif reads for an item: the file with another list of items.
private final class HEICBytes {
    let source: UnsafeMutablePointer<kf_heif_source>
    /// What replaces the beginning of the file, and the list of items behind the file.
    private let bytes: UnsafeMutableBufferPointer<UInt8>

    init(_ item: HEICItem, of file: HEICFile) throws(ImageCodecError) {
        let reader = file.reader
        guard reader.count <= Int(UInt32.max) else { throw .unsupported("HEIC above 4 GB") }
        // Brands of a still, because libheif 1.20 and later refuse a sequence's brands without its tracks.
        // All that follows becomes one box of samples, whose places remain as they are.
        let brands = HEICFile.uint32(20) + Array("ftypheic".utf8) + HEICFile.uint32(0) + Array("heic".utf8)
        guard let start = ISOBox(at: 0, in: reader)?.end, start >= brands.count, start <= reader.count - 8
        else { throw .corrupt("no boxes") }
        let header = brands + HEICFile.uint32(reader.count - brands.count) + Array("mdat".utf8)
        let content = header + file.items(of: item.id)
        bytes = .allocate(capacity: content.count)
        _ = bytes.initialize(from: content)
        source = .allocate(capacity: 1)
        source.initialize(
            to: kf_heif_source(
                file: reader.bytes.bindMemory(to: UInt8.self).baseAddress, count: reader.count,
                header: bytes.baseAddress, header_count: header.count,
                items: bytes.baseAddress.map { $0 + header.count }, items_count: content.count - header.count,
                position: 0))
    }

    deinit {
        source.deallocate()
        bytes.deallocate()
    }
}

/// libheif's decoder of an item without its transformations and auxiliary images.
///
/// The file must outlive it, because its bytes are not copied. Not for concurrent use.
final class HEICContext {
    let heif: kf_heif_functions
    let item: HEICItem
    private let bytes: HEICBytes
    private let context: OpaquePointer
    private let handle: OpaquePointer

    init(_ item: HEICItem, of file: HEICFile) throws(ImageCodecError) {
        heif = try HEICLibrary.functions
        self.item = item
        bytes = try HEICBytes(item, of: file)
        guard let context = heif.heif_context_alloc() else { throw .outOfMemory }
        do throws(ImageCodecError) {
            heif.heif_context_set_max_decoding_threads(context, 0)
            // libheif 1.15 refuses some images whose side is the limit; ours is checked by the decoder.
            heif.heif_context_set_maximum_image_size_limit(context, Int32(clamping: file.longestSide + 64))
            try HEICLibrary.check(
                heif.heif_context_read_from_reader(context, kf_heif_reader(), bytes.source, nil))
            var handle: OpaquePointer?
            try HEICLibrary.check(heif.heif_context_get_primary_image_handle(context, &handle))
            guard let handle else { throw .corrupt("no primary image") }
            self.handle = handle
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

    /// Calls libheif with our decoder; nil if `work` took the frame.
    func decode(
        _ space: heif_colorspace, _ chroma: heif_chroma, _ work: inout kf_heif_work
    ) throws(ImageCodecError) -> OpaquePointer? {
        var decoded: OpaquePointer?
        let error = withUnsafeMutablePointer(to: &work) { work in
            kf_heif_set_work(work)
            defer { kf_heif_set_work(nil) }
            return heif.heif_decode_image(handle, &decoded, space, chroma, nil)
        }
        guard work.refused == 0 else { throw .corrupt("a coded image larger than declared") }
        if error.code == heif_error_Ok || work.take == nil { try HEICLibrary.check(error) }
        if work.failed != 0, let decoded {
            heif.heif_image_release(decoded)
            throw .corrupt("a part of the image")
        }
        return decoded
    }

    /// All pixels in a color space, or of luma, without a copy.
    func pixels(
        _ space: heif_colorspace, _ chroma: heif_chroma, _ channel: heif_channel, as format: PixelFormat,
        threads: Int
    ) throws(ImageCodecError) -> PixelBuffer {
        var work = kf_heif_work()
        work.threads = Int32(threads)
        work.limit = Int64(item.largest.area)
        guard let decoded = try decode(space, chroma, &work) else { throw .corrupt("no image") }
        return try adopt(decoded, channel, as: format)
    }

    /// The pixels of libheif without a copy; the image is released with them.
    private func adopt(
        _ decoded: OpaquePointer, _ channel: heif_channel, as format: PixelFormat
    ) throws(ImageCodecError) -> PixelBuffer {
        let size = PixelSize(
            width: Int(heif.heif_image_get_width(decoded, channel)),
            height: Int(heif.heif_image_get_height(decoded, channel)))
        var stride: Int32 = 0
        let rows = heif.heif_image_get_plane(decoded, channel, &stride)
        let bits = Int(heif.heif_image_get_bits_per_pixel_range(decoded, channel))
        guard let rows, size == item.size, format.depth == .eight ? bits == 8 : (9...16).contains(bits) else {
            heif.heif_image_release(decoded)
            throw .corrupt("another size or depth than declared")
        }
        if format.depth == .sixteen, bits < 16 {
            for y in 0..<size.height {
                let row = UnsafeMutableRawPointer(rows + y * Int(stride)).assumingMemoryBound(to: UInt16.self)
                kf_heif_extend(row, size.width * format.layout.channels, Int32(bits))
            }
        }
        // An address is Sendable; the image has no other owner.
        let address = Int(bitPattern: decoded)
        let release = heif.heif_image_release
        return try PixelBuffer(
            adopting: rows, width: size.width, height: size.height, bytesPerRow: Int(stride), format: format,
            release: { _ in release(OpaquePointer(bitPattern: address)) })
    }
}
