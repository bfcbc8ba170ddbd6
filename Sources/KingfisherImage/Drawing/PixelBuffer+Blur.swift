import CKernels
import Glibc

extension PixelBuffer {
    /// The picture blurred, edges extended, as 8-bit premultiplied RGBA.
    func blurred(_ blur: BoxBlur) throws(ImageCodecError) -> PixelBuffer {
        let source = try premultiplied()
        let scratch = Scratch(byteCount: max(width, height) * 64)
        return try PixelBuffer.decoding(size, format: source.format) { target, targetStride in
            for row in 0..<height {
                memcpy(target + row * targetStride, source.unsafeBase + row * source.bytesPerRow, width * 4)
            }
            kf_box_blur(
                KernelLevel.current.native, target.assumingMemoryBound(to: UInt8.self), Int32(width),
                Int32(height), targetStride, Int32(blur.reach), Int32(blur.passes), scratch.bytes)
        }
    }
}
