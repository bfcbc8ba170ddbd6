import CJPEGXL
public import Foundation
public import KingfisherCodecSupport

/// JPEG files inside of JPEG XL files: the coefficients of a JPEG in about a fifth fewer bytes, and data to
/// restore that JPEG exactly (ISO/IEC 18181-2, annex A).
///
/// Works on the caller's thread.
public enum JPEGXLFile {
    /// The JPEG from which a file was made, byte for byte; nil for a file that was not made from a JPEG.
    ///
    /// The JPEG has at most `ImageLimits.maximumFrameBytes`, otherwise this throws `tooMuchMemory`. Throws
    /// the errors of decoding.
    public static func jpeg(in data: Data) throws(ImageCodecError) -> Data? {
        let file = EncodedFile(data)
        return try file.reading { reader throws(ImageCodecError) in
            guard JPEGXLBoxes.hasJPEG(reader) else { return nil }
            let info = try JPEGXLInfo(file)
            try info.check()
            // Coefficients of 16 bits, of all channels, besides the frame.
            let (coefficients, overflow) = info.header.size.area.multipliedReportingOverflow(by: 6)
            guard !overflow, info.workingMemory <= .max - coefficients else { throw .tooMuchMemory }
            try file.limits.check(frameBytes: coefficients, beside: info.workingMemory)
            return try JPEGRestorer(reader).jpeg()
        }
    }

    /// Makes a file from a JPEG without loss, from which `jpeg(in:)` restores its bytes.
    ///
    /// `effort` is libjxl's, 1 (fastest) to 9; all take little time here. Throws `unsupported` for kinds of
    /// JPEG that JPEG XL cannot hold, such as CMYK and arithmetic coding.
    public static func encoding(jpeg: Data, effort: Int = 7) throws(ImageCodecError) -> Data {
        guard let codec = CodecRegistry.builtIn.codec(for: .JPEG) else { throw .unknownFormat }
        let file = EncodedFile(jpeg)
        // Also checks the limits.
        let size = try codec.open(file).header.size
        let (bytes, overflow) = size.area.multipliedReportingOverflow(by: 24)
        try file.limits.check(frameBytes: overflow ? .max : bytes, beside: 0)
        let encoder = try JPEGXLEncoder(effort: effort)
        try encoder.add(jpeg: jpeg)
        return try encoder.file()
    }
}

/// Restores the JPEG of a file, in memory that grows with it.
private final class JPEGRestorer {
    private let decoder: LibJXLDecoder
    private var output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    private var used = 0

    init(_ reader: ByteReader) throws(ImageCodecError) {
        decoder = try LibJXLDecoder(reader, events: [JXL_DEC_JPEG_RECONSTRUCTION, JXL_DEC_FULL_IMAGE])
    }

    deinit { output.deallocate() }

    func jpeg() throws(ImageCodecError) -> Data? {
        while true {
            switch try decoder.next() {
            case JXL_DEC_JPEG_RECONSTRUCTION: try setBuffer()
            case JXL_DEC_JPEG_NEED_MORE_OUTPUT:
                takeOutput()
                try grow()
                try setBuffer()
            case JXL_DEC_FULL_IMAGE:
                takeOutput()
                return Data(output.prefix(used))
            // libjxl offers pixels, because the data for the JPEG are malformed.
            case JXL_DEC_NEED_IMAGE_OUT_BUFFER: return nil
            case JXL_DEC_NEED_MORE_INPUT: throw .truncated
            default: return nil
            }
        }
    }

    private func setBuffer() throws(ImageCodecError) {
        guard let start = output.bindMemory(to: UInt8.self).baseAddress,
            decoder.jxl.JxlDecoderSetJPEGBuffer(decoder.pointer, start + used, output.count - used)
                == JXL_DEC_SUCCESS
        else { throw .corrupt("libjxl restores no JPEG") }
    }

    private func takeOutput() {
        used = output.count - decoder.jxl.JxlDecoderReleaseJPEGBuffer(decoder.pointer)
    }

    private func grow() throws(ImageCodecError) {
        let count = output.count * 2
        guard count <= decoder.limits.maximumFrameBytes else { throw .tooMuchMemory }
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: output.prefix(used)))
        output.deallocate()
        output = larger
    }
}
