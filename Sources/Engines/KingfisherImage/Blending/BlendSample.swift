import CKernels

/// A sample with its kernels for blending.
protocol BlendSample: KernelSample {
    static func blend(_ hinge: HingeBlend) -> Loop
    static func blend(_ curve: kf_curved_mode, over color: [Self], opacity: Float) -> Loop
}

extension UInt8: BlendSample {
    static func blend(_ hinge: HingeBlend) -> Loop {
        let level = KernelLevel.current.native
        let native = [hinge.native]
        return { kf_blend_hinge(level, $0, $1, native, $2) }
    }

    static func blend(_ curve: kf_curved_mode, over color: [Self], opacity: Float) -> Loop {
        let level = KernelLevel.current.native
        return { kf_blend_curved(level, curve, $0, $1, color, opacity, $2) }
    }
}

extension UInt16: BlendSample {
    static func blend(_ hinge: HingeBlend) -> Loop {
        let factors = hinge.factors16
        return { kf_blend_hinge16($0, $1, factors, $2) }
    }

    static func blend(_ curve: kf_curved_mode, over color: [Self], opacity: Float) -> Loop {
        { kf_blend_curved16(curve, $0, $1, color, opacity, $2) }
    }
}
