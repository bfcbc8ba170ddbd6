import CJPEGXL
import Foundation
import KingfisherCodecSupport

/// The boxes of metadata, which libjxl decompresses into memory of a limited size.
final class JPEGXLMetadata {
    private let decoder: LibJXLDecoder
    private var blocks_ = ImageMetadataBlocks()
    private let buffer: UnsafeMutableRawBufferPointer
    /// The field of the box that libjxl is writing.
    private var field: WritableKeyPath<ImageMetadataBlocks, Data?>?

    init(_ reader: ByteReader) throws(ImageCodecError) {
        decoder = try LibJXLDecoder(
            reader, events: [JXL_DEC_BASIC_INFO, JXL_DEC_COLOR_ENCODING, JXL_DEC_BOX])
        buffer = .allocate(byteCount: max(1, blocks_.room), alignment: 16)
        // Fails without Brotli; compressed boxes are then not recognized.
        _ = decoder.jxl.JxlDecoderSetDecompressBoxes(decoder.pointer, JXL_TRUE)
        decoder.jxl.JxlDecoderCloseInput(decoder.pointer)
    }

    deinit { buffer.deallocate() }

    /// What was read before a malformed box counts.
    func blocks() throws(ImageCodecError) -> ImageMetadataBlocks {
        while let event = try? decoder.next() {
            switch event {
            case JXL_DEC_BASIC_INFO: try readChannels()
            case JXL_DEC_COLOR_ENCODING: readColors()
            case JXL_DEC_BOX:
                finishBox(isWhole: true)
                startBox()
            case JXL_DEC_BOX_NEED_MORE_OUTPUT: finishBox(isWhole: false)
            default:
                finishBox(isWhole: event == JXL_DEC_SUCCESS)
                return blocks_
            }
        }
        return blocks_
    }

    private func readChannels() throws(ImageCodecError) {
        let info = try decoder.basicInfo()
        blocks_.channels = Int(info.num_color_channels) + (info.alpha_bits > 0 ? 1 : 0)
    }

    private func readColors() {
        if let profile = try? JPEGXLColors.profile(decoder) {
            profile.withUnsafeBytes { blocks_.keep(ByteReader($0), as: \.profile) }
        }
    }

    private func startBox() {
        var type: (CChar, CChar, CChar, CChar) = (0, 0, 0, 0)
        let isRead = withUnsafeMutableBytes(of: &type) { bytes in
            guard let start = bytes.bindMemory(to: CChar.self).baseAddress else { return false }
            return decoder.jxl.JxlDecoderGetBoxType(decoder.pointer, start, JXL_TRUE) == JXL_DEC_SUCCESS
        }
        guard isRead else { return }
        let name = withUnsafeBytes(of: type) { String(decoding: $0, as: UTF8.self) }
        field = name == "Exif" ? \.exif : name == "xml " ? \.xmp : nil
        guard let field, blocks_[keyPath: field] == nil else { return self.field = nil }
        guard let start = buffer.bindMemory(to: UInt8.self).baseAddress,
            decoder.jxl.JxlDecoderSetBoxBuffer(decoder.pointer, start, buffer.count) == JXL_DEC_SUCCESS
        else { return self.field = nil }
    }

    private func finishBox(isWhole: Bool) {
        guard let field else { return }
        self.field = nil
        let count = buffer.count - decoder.jxl.JxlDecoderReleaseBoxBuffer(decoder.pointer)
        guard isWhole else { return blocks_.isComplete = false }
        let content = ByteReader(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
        guard field == \.exif else { return blocks_.keep(content, as: field) }
        // The offset of the TIFF file is before it (ISO/IEC 18181-2, 9.5).
        guard let offset = content.uint32(at: 0, bigEndian: true), offset <= count - 4,
            let file = content.slice(at: 4 + offset, count: count - 4 - offset)
        else { return }
        blocks_.keep(file, as: field)
    }
}
