package import Foundation

// Stand-ins until the codecs land, so that the modules above build.
struct PNGCodec: ImageCodec {
    var format: ImageFormat { .PNG }
    func matches(_ prefix: UnsafeRawBufferPointer) -> Bool { false }
    func header(of data: Data) throws(ImageCodecError) -> ImageHeader { throw .unknownFormat }
    func decode(_ data: Data, minimumSize: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        throw .unknownFormat
    }
}
struct JPEGCodec: ImageCodec {
    var format: ImageFormat { .JPEG }
    func matches(_ prefix: UnsafeRawBufferPointer) -> Bool { false }
    func header(of data: Data) throws(ImageCodecError) -> ImageHeader { throw .unknownFormat }
    func decode(_ data: Data, minimumSize: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        throw .unknownFormat
    }
}
struct GIFCodec: ImageCodec {
    var format: ImageFormat { .GIF }
    func matches(_ prefix: UnsafeRawBufferPointer) -> Bool { false }
    func header(of data: Data) throws(ImageCodecError) -> ImageHeader { throw .unknownFormat }
    func decode(_ data: Data, minimumSize: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        throw .unknownFormat
    }
}
