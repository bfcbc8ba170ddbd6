import CKernels

extension PixelBuffer {
    /// The picture blurred, edges extended, as 8-bit premultiplied RGBA.
    func blurred(_ blur: BoxBlur) throws(ImageCodecError) -> PixelBuffer {
        let source = try premultiplied()
        let scratch = Scratch(byteCount: kf_blur_scratch(max(width, height), blur.passes))
        return try PixelBuffer.decoding(size, format: source.format) { target, targetStride in
            kf_box_blur(
                KernelLevel.current.native, source.unsafeBase.assumingMemoryBound(to: UInt8.self),
                source.bytesPerRow, Int32(width), Int32(height), Int32(blur.reach), Int32(blur.passes),
                scratch.bytes, target.assumingMemoryBound(to: UInt8.self), targetStride)
        }
    }
}
