"""experiment: token vectors on the fly"""
import os, threading
from pathlib import Path
import numpy as np
from connectors.embedders.minilm_weights import find_weights
from connectors.embedders import minilm_graph as g, onnx_session
from connectors.embedders.minilm import _tokeniser
import onnx
from onnx import helper, TensorProto
DIM=int(os.environ.get('LI_DIM','384'))
_lock=threading.Lock(); _cache={}; _s=None; _t=None; _P=None
def _load():
    global _s,_t,_P
    if _s is not None: return
    w=find_weights(None); f=Path('/tmp/li.onnx')
    if not f.exists():
        from safetensors.numpy import load_file
        b=g._Builder(load_file(str(w.file)),True)
        old=b._mean
        keep={}
        def mean(hidden,mask):
            keep['h']=hidden
            return old(hidden,mask)
        b._mean=mean
        oc=onnx.checker.check_model
        onnx.checker.check_model=lambda m: None
        m=b.model()
        onnx.checker.check_model=oc
        m.graph.output.append(helper.make_tensor_value_info(keep['h'],TensorProto.FLOAT,['batch','tokens',384]))
        onnx.save(m,str(f))
    import onnxruntime
    o=onnxruntime.SessionOptions(); o.intra_op_num_threads=2
    _s=onnxruntime.InferenceSession(str(f),o); _t=_tokeniser(w.folder)
    if DIM<384: _P=np.load('/tmp/li_pca.npz')
def raw(texts):
    _load()
    ids=[e.ids for e in _t.encode_batch([t.encode(errors='replace').decode() for t in texts])]
    out=[None]*len(texts)
    order=sorted(range(len(texts)),key=lambda i:len(ids[i]))
    for a in range(0,len(order),8):
        b=order[a:a+8]; n=max(len(ids[i]) for i in b)
        x=np.zeros((len(b),n),np.int64); m=np.zeros_like(x)
        for r,i in enumerate(b): x[r,:len(ids[i])]=ids[i]; m[r,:len(ids[i])]=1
        h=_s.run(None,{'input_ids':x,'attention_mask':m})[1]
        for r,i in enumerate(b): out[i]=(h[r,:len(ids[i])],ids[i])
    return out
def reduced(h):
    if _P is not None: h=(h-_P['mean'])@_P['basis'][:,:DIM]
    h=h/np.maximum(np.linalg.norm(h,axis=1,keepdims=True),1e-9)
    return np.rint(h*127).astype(np.int8)
def vectors(texts):
    with _lock:
        new=[t for t in dict.fromkeys(texts) if t not in _cache]
        for t,(h,i) in zip(new,raw(new)): _cache[t]=reduced(h)
        return [_cache[t] for t in texts]
def maxsim(question,texts):
    """mean over the question's tokens of the best similarity, shape (texts,)"""
    q=vectors(["?"+question])[0] if False else vectors([question])[0]
    q=q[1:-1].astype(np.float32)/127
    d=vectors(texts)
    if len(q)==0: return np.zeros(len(texts))
    starts=np.cumsum([0]+[len(x) for x in d[:-1]])
    s=q@(np.concatenate(d).astype(np.float32).T/127)
    return np.maximum.reduceat(s,starts,axis=1).mean(axis=0).astype(np.float64)
